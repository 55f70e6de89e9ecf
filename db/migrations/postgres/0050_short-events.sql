UPDATE "catalogue_versions" SET "folds_from" = now() + interval '1 day' WHERE "kind" = 'events';
