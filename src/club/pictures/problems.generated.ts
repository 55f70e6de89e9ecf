/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { pictureProblems } from './problems.ts'

export const thrownBy = {
  uploadPicture: [
    pictureProblems.picture_not_supported,
    pictureProblems.picture_damaged,
    pictureProblems.picture_too_large,
    transportProblems.guardian_consent_required,
    pictureProblems.uploads_unavailable,
    pictureProblems.picture_quota_reached,
    pictureProblems.picture_hidden,
  ],
} as const
