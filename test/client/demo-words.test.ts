/** The example app has words for every reason and every problem that the API can state, in each of its languages. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProblemCode } from '@matchday/client'
import { ar } from '../../examples/web/lang/ar.ts'
import { en } from '../../examples/web/lang/en.ts'
import { pt } from '../../examples/web/lang/pt.ts'
import { ptBr } from '../../examples/web/lang/pt-br.ts'
import { problemWords } from '../../examples/web/problem-words.ts'
import { problemTypes } from '../../src/app/problem-types.ts'
import { CASH_REASONS } from '../../src/economy/cash/reasons.ts'
import { POINTS_REASONS } from '../../src/economy/ledgers/reasons.ts'
import { operationsOf, readDocument } from '../platform/docs/document.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const LANGUAGES = [
  ['English', en],
  ['Portuguese', pt],
  ['Brazilian Portuguese', ptBr],
  ['Arabic', ar],
] as const

/** `describe.ts` writes these with members of the problem. */
const DESCRIBED: ProblemCode[] = ['suspended', 'item_resting', 'paused']

/** No act of a fan leads to these in the app: it says that it did not work. */
const GENERAL: ProblemCode[] = [
  'idempotency_key_reused',
  'insufficient_scope',
  'invalid_cursor',
  'malformed_request',
  'session_required',
  'unsupported_media_type',
  // The cart takes no vouchers.
  'voucher_not_accepted',
  // More points than 2^53.
  'points_limit_reached',
]

/** Operations that the client of the app calls by itself. */
const OF_CLIENT = [
  'createNativeToken',
  'refreshNativeToken',
  'logOut',
  'listInbox',
  'readMessages',
  'listDevices',
  'registerDevice',
  'removeDevice',
]

test.each(LANGUAGES)(
  '%s has words for the reasons of entries, and for a fan without the consent of a guardian',
  (_, { points, wallet, problems }) => {
    expect(problems.guardian_consent_required).toBeTruthy()
    expect(POINTS_REASONS.filter(reason => !points.reasons[reason])).toEqual([])
    expect(CASH_REASONS.filter(reason => !wallet.reasons[reason])).toEqual([])
  },
)

onEngine(sqliteEngine, 'Problems of the operations that the example app calls', world => {
  test.each(LANGUAGES)('have words in %s', async (_, text) => {
    const problems = await problemsOfApp(world)
    expect(problems.length).toBeGreaterThan(100)
    const wordless = problems.filter(problem => problemWords(text, problem) === undefined)
    expect<ProblemCode[]>(wordless.map(({ code }) => code).sort()).toEqual([...DESCRIBED, ...GENERAL].sort())
  })
})

type Declared = (typeof problemTypes)[keyof typeof problemTypes]
type OfOperation = Extract<Declared, { code: ProblemCode }>

/** The problems that the operations of the app respond with. */
async function problemsOfApp(world: Parameters<typeof readDocument>[0]) {
  const requests = readFileSync(join(import.meta.dir, '../../examples/web/api.ts'), 'utf8')
  const called = [...requests.matchAll(/\bapi\.(\w+)\(/g)].map(([, id]) => id)
  const ids = new Set([...called, ...OF_CLIENT])
  const operations = operationsOf(await readDocument(world)).map(({ operation }) => operation)
  const found = operations.filter(({ operationId }) => ids.has(operationId))
  expect(found).toHaveLength(ids.size)
  const responses = JSON.stringify(found.map(operation => operation.responses))
  return Object.values(problemTypes).filter((type): type is OfOperation =>
    responses.includes(`/${schemaOf(type.code)}"`),
  )
}

/** As `AlreadyUsedProblem`. */
const schemaOf = (code: string) =>
  `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Problem`
