/** Consents, age bands, and the freeze without the consent of a guardian. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportConsents } from '../../../src/fan/consents/consents.ts'
import { completeOnboarding } from '../../../src/fan/onboarding/onboarding.ts'
import { exportAgeChanges } from '../../../src/identity/users/age-history.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { parseTokenClaims, parseUserinfo } from '../../../src/platform/identity-provider/claims.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { addOfEachKind, blockersOf } from '../../play/eligibility/eligibility-world.ts'
import { userIdOf } from '../../play/packs/packs-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'

type Entry = Parameters<typeof documentKind.upsert>[1]

onEachEngine('Consents', world => {
  let made = 0
  const write = (entry: Entry) => world.db.write(tx => documentKind.upsert(tx, entry))
  /** A document of a purpose of its own. */
  async function addDocument(members: Partial<Entry> = {}) {
    const purpose = `purpose-${++made}`
    const entry = { id: `document-${made}`, version: '1', purpose, text: 'I agree.', ...members }
    await write(entry)
    return entry
  }
  const put = (fan: Fan, purpose: string, granted: boolean, version = '1') =>
    fan.put('/api/user/consents', { [purpose]: { granted, version } })
  const consentOf = async (fan: Fan, purpose: string) =>
    (await fan.get('/api/user/consents')).body.consents.find(
      (one: { purpose: string }) => one.purpose === purpose,
    )
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''

  test('are to a text that stays: a changed text needs another version, and a language may be added', async () => {
    const entry = await addDocument({ text: { en: 'I agree.' } })
    const of = (text: Entry['text']) => write({ ...entry, text })
    await expect(of({ en: 'I agree to more.' })).rejects.toMatchObject({ code: 'catalogue_conflict' })
    await expect(of('I agree to more.')).rejects.toMatchObject({ code: 'catalogue_conflict' })
    await of({ en: 'I agree.', pt: 'Concordo.' })
    await expect(of({ en: 'I agree.' })).rejects.toMatchObject({ code: 'catalogue_conflict' })
    await write({ ...entry, version: '2', text: 'I agree to more.' })
  })

  test('are off until they are granted, with version, time and source, and each change is kept', async () => {
    const { purpose, id } = await addDocument()
    const fan = await world.fan()
    const off = {
      purpose,
      documentId: id,
      version: '1',
      required: false,
      granted: false,
      grantedVersion: null,
    }
    expect(await consentOf(fan, purpose)).toEqual({ ...off, changedAt: null, source: null })
    const now = world.clock.now().toISOString()
    const granted = await put(fan, purpose, true)
    const stated = { ...off, granted: true, grantedVersion: '1', changedAt: now, source: 'app' }
    expect([granted.status, await consentOf(fan, purpose)]).toEqual([200, stated])
    await put(fan, purpose, true)
    world.clock.advance(1_000)
    await put(fan, purpose, false)
    expect(await consentOf(fan, purpose)).toMatchObject({
      granted: false,
      grantedVersion: null,
      source: 'app',
    })
    const rows = (await exportConsents(world.db.read, await idOf(fan))).toSorted((a, b) => a.seq - b.seq)
    expect(rows).toMatchObject([
      { seq: 1, granted: true, version: '1', documentId: id },
      { seq: 2, granted: false, version: '1', documentId: id },
    ])
    const { events } = world.db.tables
    const told = await world.db.read
      .select()
      .from(events)
      .where(eq(events.userId, await idOf(fan)))
      .orderBy(events.sequence)
    expect(
      told.flatMap(({ type, data }) => (type === 'consent.changed' ? [JSON.parse(data ?? '').granted] : [])),
    ).toEqual([true, false])
  })

  test('are asked again for a new version, and withdrawn with any version', async () => {
    const entry = await addDocument({ required: true })
    const fan = await world.fan()
    await put(fan, entry.purpose, true)
    await write({ ...entry, version: '2' })
    expect(await consentOf(fan, entry.purpose)).toMatchObject({
      version: '2',
      granted: true,
      grantedVersion: '1',
    })
    const outdated = await put(await world.fan(), entry.purpose, true)
    expect([outdated.status, outdated.body]).toMatchObject([
      409,
      { code: 'document_version_not_current', purpose: entry.purpose, version: '2' },
    ])
    expect((await put(fan, entry.purpose, false, 'any')).status).toBe(200)
    await world.db.write(tx => documentKind.deactivate(tx, entry.id))
    expect(await consentOf(fan, entry.purpose)).toMatchObject({ documentId: null, granted: false })
    expect((await put(fan, entry.purpose, true, '2')).body.code).toBe('document_not_found')
    expect((await put(fan, 'unknown', true)).body.code).toBe('document_not_found')
  })

  test('of one request are stored all or not at all, and once by requests at the same time', async () => {
    const [{ purpose }, fan] = [await addDocument(), await world.fan()]
    const both = { [purpose]: { granted: true, version: '1' }, unknown: { granted: true, version: '1' } }
    expect((await fan.put('/api/user/consents', both)).status).toBe(404)
    expect(await consentOf(fan, purpose)).toMatchObject({ granted: false })
    const answers = await Promise.all(Array.from({ length: 5 }, () => put(fan, purpose, true)))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(await exportConsents(world.db.read, await idOf(fan))).toHaveLength(1)
  })

  test('documents are public, one for each purpose', async () => {
    const entry = await addDocument({ text: { en: 'I agree.', pt: 'Concordo.' } })
    const { documents } = (await world.anonymous.get('/api/documents?lang=pt')).body
    expect(documents).toContainEqual({ ...entry, text: 'Concordo.', required: false })
    const second = { ...entry, id: `${entry.id}-b` }
    const refused = await write(second).catch(error => error.explanation.errors)
    expect(refused).toEqual([{ pointer: '/purpose', message: 'has another active document' }])
    expect(documentKind.clashesOf([entry, second])).toHaveLength(1)
  })

  test('are rows that no statement changes or deletes', async () => {
    const { purpose } = await addDocument()
    const fan = await world.fan()
    await put(fan, purpose, true)
    const [{ consents }, userId] = [world.db.tables, await idOf(fan)]
    const own = eq(consents.userId, userId)
    const refusalOf = (work: (tx: Transaction) => Promise<unknown>) =>
      world.db.write(work).then(
        () => 'it ran',
        (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
      )
    for (const work of [
      (tx: Transaction) => tx.update(consents).set({ granted: false }).where(own),
      (tx: Transaction) => tx.delete(consents).where(own),
    ])
      expect(await refusalOf(work)).toContain('append-only')
    expect(await exportConsents(world.db.read, userId)).toMatchObject([{ seq: 1, granted: true }])
  })

  test('stay as a proof after an erasure, and say nothing of a fan into which another is merged', async () => {
    const { purpose } = await addDocument()
    const [gone, from, into] = [await world.fan(), await world.fan(), await world.fan()]
    for (const fan of [gone, from]) await put(fan, purpose, true)
    await into.post('/api/user/profile', { bio: 'x' })
    const [goneId, fromId, intoId] = [await idOf(gone), await idOf(from), await idOf(into)]
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: gone.subject }))
    expect(await exportConsents(world.db.read, goneId)).toHaveLength(1)
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    expect(await consentOf(into, purpose)).toMatchObject({ granted: false })
    expect(await exportConsents(world.db.read, fromId)).toHaveLength(1)
  })
})

onEachEngine('Terms as a document', world => {
  const terms = { id: 'terms', purpose: 'terms', text: 'The rules of the club.', required: true }
  /** Each test has a version of its own. */
  let version = 0
  async function publish(members: { required?: boolean } = {}) {
    const current = `2026-${++version}`
    await world.db.write(tx => documentKind.upsert(tx, { ...terms, version: current, ...members }))
    return current
  }
  const put = (fan: Fan, granted: boolean, current: string) =>
    fan.put('/api/user/consents', { terms: { granted, version: current } })
  const rename = async (fan: Fan) =>
    (await fan.post('/api/user/profile', { displayName: 'Ana' })).body.code ?? 'renamed'
  const termsOf = async (fan: Fan) =>
    (await fan.get('/api/user/consents')).body.consents.find(
      (one: { purpose: string }) => one.purpose === 'terms',
    )

  test('are required for public texts, of the onboarding too, and of each new version', async () => {
    const fan = await world.fan()
    const first = await publish()
    expect(await rename(fan)).toBe('terms_not_accepted')
    const onboarded = await fan.post('/api/user/onboarding', { profile: { bio: 'North stand.' } })
    expect([onboarded.status, onboarded.body]).toMatchObject([
      403,
      { code: 'terms_not_accepted', required: first },
    ])
    await put(fan, true, first)
    expect(await rename(fan)).toBe('renamed')
    await publish()
    expect(await rename(fan)).toBe('terms_not_accepted')
    await publish({ required: false })
    expect(await rename(fan)).toBe('renamed')
  })

  test('are accepted by either operation, and withdrawn by one request', async () => {
    const fan = await world.fan()
    const current = await publish()
    expect((await fan.put('/api/user/terms', { version: current })).status).toBe(200)
    expect(await termsOf(fan)).toMatchObject({ granted: true, grantedVersion: current, source: 'app' })
    expect(await rename(fan)).toBe('renamed')
    expect((await put(fan, false, current)).status).toBe(200)
    expect((await fan.get('/api/user/terms')).body).toMatchObject({ required: current, accepted: null })
    expect(await rename(fan)).toBe('terms_not_accepted')
    world.clock.advance(1_000)
    await put(fan, true, current)
    const acceptedAt = world.clock.now().toISOString()
    expect((await fan.get('/api/user/terms')).body.accepted).toEqual({ version: current, acceptedAt })
    expect(await rename(fan)).toBe('renamed')
    const rows = await exportConsents(world.db.read, (await userIdOf(world, fan)) ?? '')
    expect(rows.map(({ seq, granted }) => [seq, granted]).toSorted()).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ])
  })

  test('that are not required are accepted by either operation too, by the version of the document', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    const old = await publish({ required: false })
    const current = await publish({ required: false })
    const accepted = await one.put('/api/user/terms', { version: current })
    const stated = { required: null, accepted: { version: current } }
    expect([accepted.status, accepted.body]).toMatchObject([200, stated])
    expect(await termsOf(one)).toMatchObject({ granted: true, grantedVersion: current })
    expect((await put(other, true, current)).status).toBe(200)
    expect((await other.get('/api/user/terms')).body).toMatchObject(stated)
    const refused = await other.put('/api/user/terms', { version: old })
    expect([refused.status, refused.body.code]).toEqual([409, 'terms_version_not_current'])
    expect((await put(other, true, old)).body.code).toBe('document_version_not_current')
  })

  test('that were accepted before there was a document are shown, and can be withdrawn', async () => {
    const fan = await world.fan()
    const current = await publish()
    await fan.post('/api/user/profile', { country: 'PT' })
    const userId = (await userIdOf(world, fan)) ?? ''
    const { termsAcceptances } = world.db.tables
    const acceptedAt = world.clock.now()
    await world.db.write(tx => tx.insert(termsAcceptances).values({ userId, version: current, acceptedAt }))
    expect(await termsOf(fan)).toMatchObject({ granted: true, grantedVersion: current })
    await put(fan, false, 'any')
    expect(await termsOf(fan)).toMatchObject({ granted: false, grantedVersion: null })
    expect(await rename(fan)).toBe('terms_not_accepted')
  })

  test('of the settings win over those of the document', async () => {
    const [fan, current] = [await world.fan(), await publish()]
    const end = overrideSettings(world.db, { termsVersion: 'of-the-settings' })
    try {
      await put(fan, true, current)
      expect((await fan.get('/api/user/terms')).body.required).toBe('of-the-settings')
      expect(await rename(fan)).toBe('terms_not_accepted')
    } finally {
      end()
    }
    expect(await rename(fan)).toBe('renamed')
  })
})

/** States an age band, as a system of the club does. */
async function stateAge(world: World, fan: Fan, members: object) {
  const system = world.withToken(await world.serverKey(['age:write']))
  const named = { provider: world.config.identity.name, subject: fan.subject }
  const assuredAt = world.clock.now().toISOString()
  return system.put('/api/age-bands', {
    fan: named,
    source: 'school',
    assuredAt,
    ageBand: null,
    ...members,
  })
}

onEachEngine('An age band', world => {
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''
  const state = (fan: Fan, members: object) => stateAge(world, fan, members)
  const ageOf = async (fan: Fan) => (await fan.get('/api/user/consents')).body.age

  test('is stated by a server key, and decides who is old enough', async () => {
    const fan = await world.fan()
    const assuredAt = world.clock.now().toISOString()
    const { status, body } = await state(fan, { ageBand: '16_17' })
    const age = { ageBand: '16_17', source: 'school', assuredAt, guardianConsent: null }
    expect([status, body]).toEqual([200, { userId: await idOf(fan), ...age }])
    expect(await ageOf(fan)).toEqual(age)
    const young = await addOfEachKind(world, { minAge: 18 })
    const old = await addOfEachKind(world, { minAge: 16 })
    for (const { id, list, ask } of young) {
      const refused = await ask(fan, id)
      expect([refused.status, refused.body]).toMatchObject([
        409,
        { code: 'age_required', minAge: 18, ageBand: '16_17' },
      ])
      if (list !== 'quests') expect(await blockersOf(fan, id, list)).toContain('age_required')
    }
    for (const { id, ask } of old) expect((await ask(fan, id)).body.code).toBeUndefined()
    const unknown = await world.fan()
    await unknown.post('/api/user/profile', { bio: 'x' })
    for (const { id, ask } of old) expect((await ask(unknown, id)).body.code).toBe('age_required')
  })

  test('takes no birth date, no other scope and no unknown fan', async () => {
    const fan = await world.fan()
    expect((await state(fan, { ageBand: '2011-02-03' })).status).toBe(422)
    expect((await state(fan, { birthDate: '2011-02-03' })).status).toBe(422)
    expect((await state(fan, { fan: { userId: 'nobody' } })).body.code).toBe('fan_not_found')
    const other = world.withToken(await world.serverKey(['events:write']))
    expect((await other.put('/api/age-bands', {})).status).toBe(403)
  })

  test('without the consent of a guardian freezes writes at once, and nothing else', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { bio: 'x' })
    const { body: device } = await fan.post('/api/auth/native-token', {})
    const native = world.withToken(device.token)
    await state(fan, { ageBand: 'under_13', guardianConsent: true })
    expect((await fan.patch('/api/user/profile', { bio: 'y' })).status).toBe(200)
    await state(fan, { ageBand: 'under_13', guardianConsent: false })
    for (const client of [fan, native]) {
      const frozen = await client.patch('/api/user/profile', { bio: 'z' })
      expect([frozen.status, frozen.body.code]).toEqual([403, 'guardian_consent_required'])
      expect((await client.get('/api/user/profile')).body.bio).toBe('y')
    }
    // What is left out stays.
    await state(fan, { ageBand: '13_15' })
    expect((await fan.post('/api/user/onboarding', {})).body.code).toBe('guardian_consent_required')
    expect((await fan.post('/api/auth/logout', {})).status).toBe(204)
    await state(fan, { ageBand: 'adult' })
    world.clock.advance(1_000)
    const again = world.withToken(await world.idp.issueToken(fan.subject))
    expect((await again.patch('/api/user/profile', { bio: 'z' })).status).toBe(200)
  })

  test('and the consent are what was checked last: a statement that arrives late changes neither', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { bio: 'x' })
    const before = (ms: number) => new Date(world.clock.ms - ms).toISOString()
    const write = async () => (await fan.patch('/api/user/profile', { bio: 'y' })).status
    const stated = (guardianConsent: boolean, ms: number) =>
      state(fan, { ageBand: '13_15', guardianConsent, assuredAt: before(ms) })
    expect((await stated(false, 10_000)).body).toMatchObject({ guardianConsent: false })
    const late = await stated(true, 300_000)
    const shown = { ageBand: '13_15', assuredAt: before(10_000), guardianConsent: false }
    expect([late.status, late.body]).toMatchObject([200, shown])
    expect(await write()).toBe(403)
    // A check of the band alone outdates no consent.
    expect((await state(fan, { ageBand: '16_17' })).body).toMatchObject({ guardianConsent: false })
    expect((await stated(true, 5_000)).body).toMatchObject({ ageBand: '16_17', guardianConsent: true })
    expect(await write()).toBe(200)
    // As little as a grant does, a refusal from before it comes back.
    expect((await stated(false, 10_000)).body).toMatchObject({ guardianConsent: true })
    expect(await changesOf(await idOf(fan))).toEqual([
      '1 13_15 school false school',
      '2 16_17 school false school',
      '3 16_17 school true school',
    ])
  })

  test('is exported, is erased, and a merge keeps the newer one and a refusal', async () => {
    const [from, into] = [await world.fan(), await world.fan()]
    await state(into, { ageBand: '16_17' })
    world.clock.advance(1_000)
    await state(from, { ageBand: '13_15', guardianConsent: false })
    const [fromId, intoId] = [await idOf(from), await idOf(into)]
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    world.clock.advance(1_000)
    const remaining = { ...into, ...world.withToken(await world.idp.issueToken(into.subject)) }
    expect(await ageOf(remaining)).toMatchObject({ ageBand: '13_15', guardianConsent: false })
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: into.subject }))
    const { users } = world.db.tables
    const [row] = await world.db.read.select().from(users).where(eq(users.id, intoId))
    expect(row).toMatchObject({ ageBand: null, ageSource: null, ageAssuredAt: null, guardianConsent: null })
    // The proof stays.
    expect(await changesOf(fromId)).toEqual(['1 13_15 null false null'])
    expect(await changesOf(intoId)).toEqual(['1 16_17 null null null', '2 13_15 null false null'])
  })

  const changesOf = async (userId: string) =>
    (await exportAgeChanges(world.db.read, userId)).map(
      ({ seq, ageBand, source, guardianConsent, statedBy }) =>
        `${seq} ${ageBand} ${source} ${guardianConsent} ${statedBy}`,
    )

  test('of a child without the consent of a guardian lets them withdraw, and agree to nothing', async () => {
    const fan = await world.fan()
    const [marketing, terms] = [`purpose-of-${fan.subject}`, `terms-of-${fan.subject}`]
    const add = (id: string, purpose: string) =>
      world.db.write(tx => documentKind.upsert(tx, { id, version: '1', purpose, text: 'I agree.' }))
    await add(marketing, marketing)
    const put = (granted: boolean) =>
      fan.put('/api/user/consents', { [marketing]: { granted, version: '1' } })
    expect((await put(true)).status).toBe(200)
    await state(fan, { ageBand: 'under_13', guardianConsent: false })
    expect((await put(false)).status).toBe(200)
    const refused = await put(true)
    expect([refused.status, refused.body.code]).toEqual([403, 'guardian_consent_required'])
    const end = overrideSettings(world.db, { termsVersion: terms })
    try {
      const accepted = await fan.put('/api/user/terms', { version: terms })
      expect([accepted.status, accepted.body.code]).toEqual([403, 'guardian_consent_required'])
      await state(fan, { ageBand: 'under_13', guardianConsent: true })
      expect((await put(true)).status).toBe(200)
      expect((await fan.put('/api/user/terms', { version: terms })).status).toBe(200)
    } finally {
      end()
    }
  })

  test('keeps each change, with who stated it, the consent of a guardian and its revocation', async () => {
    const fan = await world.fan()
    const checked = world.clock.now()
    await state(fan, { ageBand: '13_15', guardianConsent: true })
    await state(fan, { ageBand: '13_15', guardianConsent: true, assuredAt: checked.toISOString() })
    world.clock.advance(1_000)
    await state(fan, { ageBand: 'adult', source: 'shop', assuredAt: new Date(checked.getTime() - 1) })
    await state(fan, {
      source: 'shop',
      assuredAt: checked.toISOString(),
      ageBand: '13_15',
      guardianConsent: false,
    })
    world.clock.advance(1_000)
    await state(fan, { ageBand: '16_17', source: 'gate' })
    const userId = await idOf(fan)
    expect(await changesOf(userId)).toEqual([
      '1 13_15 school true school',
      '2 13_15 shop false shop',
      '3 16_17 gate false gate',
    ])
    expect(await exportAgeChanges(world.db.read, userId)).toMatchObject([
      { assuredAt: checked, changedAt: checked },
      { assuredAt: checked, changedAt: new Date(checked.getTime() + 1_000) },
      { assuredAt: new Date(checked.getTime() + 2_000), changedAt: new Date(checked.getTime() + 2_000) },
    ])
    const { ageChanges } = world.db.tables
    for (const work of [
      (tx: Transaction) =>
        tx.update(ageChanges).set({ guardianConsent: true }).where(eq(ageChanges.userId, userId)),
      (tx: Transaction) =>
        tx
          .update(ageChanges)
          .set({ source: null, statedBy: null, guardianConsent: true })
          .where(eq(ageChanges.userId, userId)),
      (tx: Transaction) => tx.delete(ageChanges).where(eq(ageChanges.userId, userId)),
    ]) {
      const refused = await world.db.write(work).then(
        () => 'it ran',
        (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
      )
      expect(refused).toContain('append-only')
    }
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
    expect(await changesOf(userId)).toEqual([
      '1 13_15 null true null',
      '2 13_15 null false null',
      '3 16_17 null false null',
    ])
  })

  test('that was stored without a history is its first change', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { bio: 'x' })
    const [userId, checked] = [await idOf(fan), world.clock.now()]
    const { users } = world.db.tables
    const stored = {
      ageBand: 'under_13',
      ageSource: 'provider',
      ageAssuredAt: checked,
      guardianConsent: true,
    }
    await world.db.write(tx => tx.update(users).set(stored).where(eq(users.id, userId)))
    world.clock.advance(1_000)
    await state(fan, { ageBand: 'under_13', guardianConsent: false })
    expect(await changesOf(userId)).toEqual([
      '1 under_13 provider true provider',
      '2 under_13 school false school',
    ])
    expect((await exportAgeChanges(world.db.read, userId))[0]?.changedAt).toEqual(checked)
  })

  test('comes from the claim of the provider that IDP_AGE_CLAIM names, unless something newer is stored', async () => {
    const now = world.clock.now()
    const claimsOf = (band: unknown, ageClaim: string | null = 'age_band') =>
      parseTokenClaims('any', { age_band: band, iat: now.getTime() / 1_000 }, { now, ageClaim })
    expect(claimsOf('adult').claims.ageBand).toBe('adult')
    expect(claimsOf('adult', null).claims.ageBand).toBeUndefined()
    expect(claimsOf('2011-02-03')).toMatchObject({ refused: ['age_band'] })
    expect(claimsOf('2011-02-03').claims.ageBand).toBeUndefined()
    const response = { body: { age_band: '13_15' }, headers: new Headers() }
    expect(parseUserinfo('any', response, now, { now, ageClaim: 'age_band' }).claims.ageBand).toBe('13_15')
    const fan = await world.fan()
    const caller = { provider: world.config.identity.name, subject: fan.subject }
    const complete = (band: string) =>
      world.db.write(async tx =>
        completeOnboarding(
          tx,
          await writerOf(tx, caller),
          {},
          { points: 0, claims: claimsOf(band).claims, queuedSync: null },
        ),
      )
    await complete('16_17')
    const { iat: _, ...stated } = {
      iat: 0,
      ageBand: '16_17',
      source: 'provider',
      assuredAt: now.toISOString(),
    }
    expect(await ageOf(fan)).toMatchObject(stated)
    world.clock.advance(1_000)
    await state(fan, { ageBand: '13_15' })
    await complete('adult')
    expect(await ageOf(fan)).toMatchObject({ ageBand: '13_15', source: 'school' })
  })
})

onEachEngine(
  'An age band of the provider',
  world => {
    const ageOf = async (fan: Fan) => (await fan.get('/api/user/consents')).body.age
    /** A fan with this band at the provider. */
    async function claimed(band: unknown) {
      const fan = await world.fan()
      await fan.post('/api/user/profile', { country: 'PT' })
      await tell(fan, { age_band: band })
      return fan
    }
    const tell = async (fan: Fan, claims: object, event: object = {}) =>
      expect((await deliver(world, { ...updated(world, fan.subject, claims), ...event })).status).toBe(204)

    test('comes with its events, and a birth date is left out', async () => {
      const fan = await claimed('16_17')
      const at = world.clock.now().toISOString()
      const stated = { ageBand: '16_17', source: 'provider', assuredAt: at, guardianConsent: null }
      expect(await ageOf(fan)).toEqual(stated)
      world.clock.advance(1_000)
      await tell(fan, { age_band: '16_17' })
      const userId = (await userIdOf(world, fan)) ?? ''
      // A repetition is no change.
      expect(await exportAgeChanges(world.db.read, userId)).toMatchObject([
        { seq: 1, ageBand: '16_17', source: 'provider', statedBy: 'provider' },
      ])
      await tell(fan, { age_band: '2011-02-03' })
      expect(await ageOf(fan)).toEqual({ ...stated, assuredAt: world.clock.now().toISOString() })
    })

    test('ends when the provider states none, and not when an event does not contain it', async () => {
      const fan = await claimed('adult')
      world.clock.advance(1_000)
      await tell(fan, { name: 'Ada' })
      expect(await ageOf(fan)).toMatchObject({ ageBand: 'adult' })
      const before = new Date(world.clock.ms - 500).toISOString()
      await tell(fan, { age_band: null })
      expect(await ageOf(fan)).toMatchObject({ ageBand: null, source: 'provider' })
      // An older event that arrives later.
      await tell(fan, { age_band: 'adult' }, { timestamp: before })
      expect(await ageOf(fan)).toMatchObject({ ageBand: null })
    })

    test('ends with userinfo without the claim, which is complete', () => {
      const now = world.clock.now()
      const bandOf = (body: object) =>
        parseUserinfo('any', { body, headers: new Headers() }, now, { now, ageClaim: 'age_band' }).claims
          .ageBand
      expect([bandOf({}), bandOf({ age_band: 'adult' }), bandOf({ age_band: 17 })]).toEqual([
        null,
        'adult',
        undefined,
      ])
    })

    test('counts if it was stated later than that of another source, and does not end that one', async () => {
      const fan = await claimed('adult')
      const earlier = new Date(world.clock.ms - 1_000).toISOString()
      const late = await stateAge(world, fan, { ageBand: '13_15', assuredAt: earlier })
      expect(late.body).toMatchObject({ ageBand: 'adult', source: 'provider' })
      world.clock.advance(1_000)
      await stateAge(world, fan, { ageBand: '13_15' })
      world.clock.advance(1_000)
      await tell(fan, { age_band: null })
      expect(await ageOf(fan)).toMatchObject({ ageBand: '13_15', source: 'school' })
      await tell(fan, { age_band: 'adult' })
      expect(await ageOf(fan)).toMatchObject({ ageBand: 'adult', source: 'provider' })
    })

    test('does not wait for the time when it was checked: a guardian who refuses is heard at once', async () => {
      const fan = await claimed('13_15')
      const assuredAt = new Date(world.clock.ms - 60_000).toISOString()
      const refused = await stateAge(world, fan, { ageBand: 'adult', assuredAt, guardianConsent: false })
      expect(refused.body).toMatchObject({ ageBand: '13_15', guardianConsent: false })
      expect((await fan.patch('/api/user/profile', { bio: 'x' })).body.code).toBe('guardian_consent_required')
    })

    test('is not stated for a time in the future', async () => {
      const fan = await claimed('13_15')
      const assuredAt = new Date(world.clock.ms + 600_000).toISOString()
      const { status, body } = await stateAge(world, fan, { ageBand: 'adult', assuredAt })
      expect([status, body.errors]).toEqual([
        422,
        [{ pointer: '/assuredAt', message: 'must not be in the future' }],
      ])
    })
  },
  { env: { IDP_AGE_CLAIM: 'age_band' } },
)
