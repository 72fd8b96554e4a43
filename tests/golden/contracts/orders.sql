-- constraints of the table
ALTER TABLE `orders` ADD CONSTRAINT total_is_paid CHECK (total >= 0);
ALTER TABLE orders ALTER COLUMN order_id SET NOT NULL;
ALTER TABLE orders ADD CONSTRAINT `semi;colon` CHECK (currency <> 'a;b' AND currency <> '\'');
DROP TABLE orders;
