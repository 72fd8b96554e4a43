"""What rules said of versions, and the incidents that follow, with their causes."""
