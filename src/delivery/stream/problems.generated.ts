/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { matchProblems } from '../../club/matches/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { packProblems } from '../../play/packs/problems.ts'
import { questionProblems } from '../../play/questions/problems.ts'
import { streamProblems } from './problems.ts'

export const thrownBy = {
  openStream: [
    transportProblems.unauthenticated,
    packProblems.pack_not_found,
    matchProblems.match_not_found,
    questionProblems.question_not_found,
    streamProblems.too_many_streams,
  ],
} as const
