/**
 * A process of the console: `bun approving-process.ts DATABASE_URL`. For each line of its input it prints a number:
 *
 *     ask SESSION PERSON TIMES    how many requests of the person were kept, of so many at the same time
 *     claim PERSON ID,ID…         how many of these approvals the person has confirmed
 *     begin PERSON ID,ID…         the same for actions in steps, which then never end
 */
import { createInterface } from 'node:readline'
import { DomainError } from '../../src/core/problems.ts'
import { realSources } from '../../src/core/sources.ts'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import { claimApproval, keepApproval } from '../../src/identity/staff/approvals/approvals.ts'
import { openPatiently } from '../support/patience.ts'

const [url = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources)
const staffOf = (name: string) => ({ id: linkIdOf(name), name, role: 'finance' as const })

const REFUSALS = ['too_many_approvals', 'session_required', 'approval_closed']

async function count(attempts: Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(attempts)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    const { reason } = outcome
    if (!(reason instanceof DomainError) || !REFUSALS.includes(reason.code)) throw reason
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

const ask = (sessionId: string, name: string, times: string) =>
  Array.from({ length: Number(times) }, () =>
    db.write(tx =>
      keepApproval(tx, {
        staff: staffOf(name),
        sessionId,
        subject: { kind: 'fan', id: 'fan' },
        reason: 'A late bus',
        request: { method: 'POST', path: '/api/fans/fan/grants', body: {} },
        id: 'grantPointsToFan',
        permission: 'points.write',
        mayOnePerson: () => false,
      }),
    ),
  )
const claim = (name: string, ids: string, inSteps = false) =>
  ids.split(',').map(id => db.write(tx => claimApproval(tx, id, staffOf(name), { inSteps })))

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, first = '', second = '', third = ''] = line.split(' ')
  const attempts = verb === 'ask' ? ask(first, second, third) : claim(first, second, verb === 'begin')
  process.stdout.write(`${await count(attempts)}\n`)
}
await db.close()
