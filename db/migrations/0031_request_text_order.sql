-- The console searches for beginnings of request ids by a range of the index. By the rules of a language, '~' comes before
-- letters and digits, and the range would be nearly empty. No row is rewritten, only the index.
alter table push_log alter column request_text type text collate "C";
