/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { pictureProblems } from '../../../club/pictures/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'

export const thrownBy = {
  readPicture: [transportProblems.not_found, pictureProblems.uploads_unavailable],
  readFace: [pictureProblems.uploads_unavailable, transportProblems.not_found],
} as const
