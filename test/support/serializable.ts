/** The mode of `bun run test:serializable`: see `serialization-failures.ts`. */

import { patientSettings } from './patience.ts'

const { TEST_SERIALIZATION_FAILURES = '', BUN_OPTIONS = '' } = process.env

/** Whether statements fail. */
export const failsStatements = TEST_SERIALIZATION_FAILURES !== ''

/** For processes that tests start with an environment of their own. Repetitions take longer than a statement. */
export const failureEnv: Record<string, string> = failsStatements
  ? { BUN_OPTIONS, TEST_SERIALIZATION_FAILURES, ...patientSettings }
  : {}

/** Why tests that count attempts are skipped: for their titles. Empty where no statements fail. */
export const countsAttempts = failsStatements ? ' (skipped: counts attempts, and statements fail)' : ''
