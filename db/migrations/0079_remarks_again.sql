-- Expand.
-- What is stored is searched once more: in remarks, card numbers of 13 digits on and security codes are found now.
update stored_card_search set after_id = 0, is_done = false;
