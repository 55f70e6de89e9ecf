/** Conditions of a segment that no fan can ever meet are refused, with the condition and what it contradicts. */
import { describe, expect, test } from 'bun:test'
import type { FactCondition } from '../../../src/club/segments/facts.ts'
import { segmentKind } from '../../../src/club/segments/segment-kind.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { parseRecord } from '../../../src/play/catalogue-file/check-record.ts'

type Stated = [fact: string, op: FactCondition['op'], value: FactCondition['value']]

const whenOf = (stated: Stated[]) => stated.map(([fact, op, value]) => ({ fact, op, value }))

function faultsOf(...stated: Stated[]) {
  try {
    parseRecord('segment', { id: 'some', name: 'Some', when: whenOf(stated) })
    return []
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return error.explanation.errors
  }
}

describe('a segment that would always be empty', () => {
  test.each<[Stated[], number, string]>([
    [[['points', 'lt', 0]], 0, 'points lt 0 can never be met: points is never negative'],
    [[['checkIns', 'eq', -1]], 0, 'checkIns eq -1 can never be met: checkIns is never negative'],
    [
      [['spent.EUR', 'in', [-1, -5]]],
      0,
      'spent.EUR in [-1,-5] can never be met: spent.EUR is never negative',
    ],
    [
      [
        ['points', 'gt', 5],
        ['country', 'eq', 'PT'],
        ['points', 'lt', 3],
      ],
      2,
      'points lt 3 can never be met together with points gt 5',
    ],
    [
      [
        ['registeredDaysAgo', 'gt', 5],
        ['registeredDaysAgo', 'lt', 6],
      ],
      1,
      'registeredDaysAgo lt 6 can never be met together with registeredDaysAgo gt 5',
    ],
    [
      [
        ['country', 'eq', 'PT'],
        ['country', 'in', ['GB', 'ES']],
      ],
      1,
      'country in ["GB","ES"] can never be met together with country eq "PT"',
    ],
    [
      [
        ['onboarded', 'eq', true],
        ['onboarded', 'eq', false],
      ],
      1,
      'onboarded eq false can never be met together with onboarded eq true',
    ],
    [
      [
        ['tier.status', 'exists', false],
        ['tier.status', 'eq', 'gold'],
      ],
      1,
      'tier.status eq "gold" can never be met together with tier.status exists false',
    ],
    [
      [
        ['membership', 'eq', 'card'],
        ['membership', 'ne', 'card'],
      ],
      1,
      'membership ne "card" can never be met together with membership eq "card"',
    ],
    [
      [
        ['checkIns', 'gte', 2],
        ['checkIns', 'lte', 3],
        ['checkIns', 'ne', 2],
        ['checkIns', 'ne', 3],
      ],
      3,
      'checkIns ne 3 can never be met together with the other conditions on checkIns',
    ],
  ])('%j is refused at condition %i', (stated, index, why) => {
    expect(faultsOf(...stated)).toEqual([
      { pointer: `/when/${index}/value`, message: `must be possible: ${why}` },
    ])
  })

  test.each<[Stated[]]>([
    [[['points', 'lte', 0]]],
    [[['points', 'gt', -1]]],
    [
      [
        ['points', 'gt', 5],
        ['points', 'lt', 7],
      ],
    ],
    // A fan can have both.
    [
      [
        ['membership', 'eq', 'card'],
        ['membership', 'eq', 'ticket'],
        ['membership', 'ne', 'old'],
      ],
    ],
    // Of a fan who was never seen.
    [
      [
        ['onboarded', 'ne', true],
        ['onboarded', 'ne', false],
      ],
    ],
    [
      [
        ['lastSeenDaysAgo', 'exists', false],
        ['lastSeenDaysAgo', 'ne', 0],
      ],
    ],
    [
      [
        ['country', 'ne', 'PT'],
        ['country', 'exists', true],
        ['country', 'in', ['GB', 'PT']],
      ],
    ],
  ])('%j is accepted', stated => {
    expect(faultsOf(...stated)).toEqual([])
  })

  test('each fact is told once, and a fault of a condition comes first', () => {
    const both = faultsOf(['points', 'lt', 0], ['checkIns', 'lt', 0])
    expect(both?.length).toBe(2)
    expect(faultsOf(['points', 'lt', 0], ['points', 'gt', 5])?.length).toBe(1)
    expect(faultsOf(['points', 'lt', 0], ['points', 'lt', 'many'])).toEqual([
      { pointer: '/when/1/value', message: 'must be a whole number' },
    ])
    expect(segmentKind.faults({ id: 'all', name: 'All' })).toEqual([])
  })
})
