/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { catalogueProblems } from '../../../club/catalogue/problems.ts'
import { pictureProblems } from '../../../club/pictures/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'

export const thrownBy = {
  saveCatalogueEntry: [catalogueProblems.catalogue_conflict, catalogueProblems.revision_conflict],
  switchCatalogueEntry: [
    catalogueProblems.entry_not_found,
    catalogueProblems.catalogue_conflict,
    catalogueProblems.revision_conflict,
  ],
  restoreCatalogueEntry: [
    catalogueProblems.catalogue_conflict,
    catalogueProblems.revision_not_found,
    catalogueProblems.revision_conflict,
  ],
  listCatalogueEntries: [transportProblems.invalid_cursor],
  planCatalogueEntry: [catalogueProblems.catalogue_conflict],
  exportSegment: [catalogueProblems.entry_not_found],
  readCampaignReport: [catalogueProblems.entry_not_found],
  readCatalogueEntry: [catalogueProblems.entry_not_found],
  listCatalogueHistory: [transportProblems.invalid_cursor],
  readCatalogueRevision: [catalogueProblems.revision_not_found],
  uploadCataloguePicture: [
    pictureProblems.picture_not_supported,
    pictureProblems.picture_damaged,
    pictureProblems.picture_too_large,
    pictureProblems.uploads_unavailable,
  ],
  preview: [transportProblems.overloaded],
} as const
