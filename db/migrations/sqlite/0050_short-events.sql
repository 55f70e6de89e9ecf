UPDATE `catalogue_versions` SET `folds_from` = (unixepoch() + 86400) * 1000 WHERE `kind` = 'events';
