/** Consents of a fan in the console: what staff see, and the withdrawals that they record. */
import { expect, test } from 'bun:test'
import { desc, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { storeAge } from '../../../src/identity/users/age.ts'
import { unique } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

const reason = 'Letter of 3 August.'

onEachEngine('Consents of a fan in the console', world => {
  const { as } = consoleOf(world)
  const support = () => as('support')

  /** A fan who agrees to version 1 of a document of a purpose of its own. */
  async function agreeing() {
    const [fan, purpose] = [await namedFan(world), unique('purpose')]
    const document = { id: purpose, version: '1', purpose, text: 'I agree.' }
    await world.db.write(tx => documentKind.upsert(tx, document))
    expectStatus(200, await fan.put('/api/user/consents', { [purpose]: { granted: true, version: '1' } }))
    return { fan, purpose }
  }
  const read = async (fan: NamedFan) => expectStatus(200, await support().get(`/api/fans/${fan.id}/consents`))
  const withdraw = (fan: NamedFan, purpose: string) =>
    support().post(`/api/fans/${fan.id}/consents/withdraw`, { purpose, reason })

  test('are shown with each change: who stated it, when, where and why', async () => {
    const { fan, purpose } = await agreeing()
    const granted = { purpose, seq: 1, granted: true, documentId: purpose, version: '1', source: 'app' }
    const at = world.clock.now().toISOString()
    expect((await read(fan)).history).toEqual([{ ...granted, changedAt: at, by: null, reason: null }])
    world.clock.advance(1_000)
    expect(expectStatus(200, await withdraw(fan, purpose))).toEqual({ withdrawn: true })
    const { consents, history, age } = await read(fan)
    const { consoleAudit } = world.db.tables
    const newest = world.db.read.select().from(consoleAudit).where(eq(consoleAudit.subjectId, fan.id))
    const [action] = await newest.orderBy(desc(consoleAudit.seq)).limit(1)
    expect(history[0]).toEqual({
      ...granted,
      ...{ seq: 2, granted: false, source: 'staff', changedAt: world.clock.now().toISOString() },
      ...{ by: action?.staffName, reason },
    })
    expect(action).toMatchObject({ operation: 'withdrawConsentOfFan', reason, role: 'support' })
    expect(consents.find((one: { purpose: string }) => one.purpose === purpose)).toMatchObject({
      granted: false,
      source: 'staff',
    })
    expect(age.ageBand).toBeNull()
    const findings: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
    expect(findings).toEqual([])
  })

  test('are withdrawn once, and the fan can agree again', async () => {
    const { fan, purpose } = await agreeing()
    const answers = await Promise.all([withdraw(fan, purpose), withdraw(fan, purpose)])
    expect(answers.map(({ body }) => body.withdrawn).toSorted()).toEqual([false, true])
    const again = { [purpose]: { granted: true, version: '1' } }
    expectStatus(200, await fan.put('/api/user/consents', again))
    expect((await read(fan)).history.map(({ granted }: { granted: boolean }) => granted)).toHaveLength(3)
  })

  test('are granted by no request of staff, and withdrawn only by roles that correct fans', async () => {
    const { fan, purpose } = await agreeing()
    const path = `/api/fans/${fan.id}/consents/withdraw`
    expect((await support().post(path, { purpose, granted: true, reason })).status).toBe(422)
    expect((await support().post(path, { purpose })).status).toBe(422)
    for (const role of ['editor', 'moderator', 'finance'] as const)
      expect((await as(role).post(path, { purpose, reason })).body.code).toBe('permission_denied')
    expect((await withdraw(fan, 'unknown')).body.code).toBe('document_not_found')
    expect((await read(fan)).history).toHaveLength(1)
  })

  test('are shown with the history of the age band', async () => {
    const { fan } = await agreeing()
    const assuredAt = world.clock.now()
    const age = { source: 'school', assuredAt, guardianConsent: true }
    await world.db.write(tx => storeAge(tx, fan.id, { ...age, ageBand: '13_15' }))
    world.clock.advance(1_000)
    await world.db.write(tx => storeAge(tx, fan.id, { ...age, ageBand: '13_15', guardianConsent: false }))
    const shown = {
      ageBand: '13_15',
      source: 'school',
      statedBy: 'school',
      assuredAt: assuredAt.toISOString(),
    }
    expect((await read(fan)).ageHistory).toEqual([
      { ...shown, seq: 2, guardianConsent: false, changedAt: world.clock.now().toISOString() },
      { ...shown, seq: 1, guardianConsent: true, changedAt: assuredAt.toISOString() },
    ])
    const findings: Finding[] = []
    await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
    expect(findings).toEqual([])
  })

  test('of an erased fan are shown as a proof, and not changed', async () => {
    const { fan, purpose } = await agreeing()
    await world.db.write(tx => eraseUser(tx, { id: fan.id }))
    expect((await withdraw(fan, purpose)).body.code).toBe('fan_not_found')
    expect((await read(fan)).history).toHaveLength(1)
  })
})
