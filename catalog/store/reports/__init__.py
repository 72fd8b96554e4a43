"""What a report needs: the journal of what the catalog said when, read as of a moment, and schedules."""
