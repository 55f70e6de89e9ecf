-- Addresses beyond ASCII were folded further than providers fold them. The tasks that index addresses fill the columns again.
UPDATE "identities" SET "email_hash" = NULL, "email_key" = NULL WHERE octet_length("email") <> length("email");
