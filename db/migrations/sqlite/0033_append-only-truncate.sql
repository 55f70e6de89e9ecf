-- SQLite has no TRUNCATE: the triggers of DELETE refuse it. For equal numbers of migrations.
SELECT 1;
