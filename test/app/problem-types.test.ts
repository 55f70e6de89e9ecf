/** The problem types of all rooms are one list, which equals what the operations declare. */
import { expect, test } from 'bun:test'
import { createApi } from '../../src/app/app.ts'
import { problemTypes } from '../../src/app/problem-types.ts'
import type { ProblemType } from '../../src/core/problems.ts'
import { transportProblems } from '../../src/core/transport-problems.ts'
import { declaredOf } from '../../src/platform/http/contract/operation.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

/** Only commands and the console refuse with these. */
const OF_COMMANDS = [
  ...['fans_not_mergeable', 'match_not_over'],
  ...['revision_not_found', 'entry_not_found'],
  ...['code_not_used', 'question_answered'],
  ...['campaign_not_found', 'campaign_inactive', 'campaign_changed'],
  ...['campaign_started', 'campaign_finished', 'campaign_not_running'],
]

onEngine(sqliteEngine, 'problem types', world => {
  test('every problem of an operation is in the list, and every problem of a room belongs to an operation', () => {
    const declared = new Set<ProblemType>(
      createApi(world.deps).routes.flatMap(route => declaredOf(route)?.problems ?? []),
    )
    const known = new Set<ProblemType>(Object.values(problemTypes))
    expect([...declared.difference(known)]).toEqual([])
    const elsewhere = new Set<ProblemType>(Object.values(transportProblems))
    const unused = [...known.difference(declared).difference(elsewhere)].map(({ code }) => code)
    expect(unused).toEqual(OF_COMMANDS)
  })
})
