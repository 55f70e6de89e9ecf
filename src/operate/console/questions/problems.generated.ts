/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { questionProblems } from '../../../play/questions/problems.ts'

export const thrownBy = {
  openQuestion: [questionProblems.question_not_found, questionProblems.question_answered],
  closeQuestion: [questionProblems.question_not_found],
  answerQuestion: [questionProblems.question_not_found],
  readConsoleQuestion: [questionProblems.question_not_found],
} as const
