/**
 * `CONSOLE_TWO_PERSON=money` follows value: whatever can create points, cash, goods, or a key that can, waits for a second person.
 * A new operation, kind or scope fails here until it is classified.
 */
import { describe, expect, test } from 'bun:test'
import { createsValue, isServerScope, SERVER_SCOPES } from '../../src/identity/server-keys/scopes.ts'
import { twoPersonGroupsOf } from '../../src/identity/staff/roles.ts'
import { createConsoleApi } from '../../src/operate/console/app.ts'
import { consoleDeclaredOf } from '../../src/operate/console/contract/operation.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { declaredOf } from '../../src/platform/http/contract/operation.ts'
import { entryKinds, writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../club/catalogue/full-catalogue.ts'
import { addMatch } from '../play/predictions/match-world.ts'
import { addQuestion, readQuestion } from '../play/questions/questions-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

/** Writes that a second person confirms with `money`, whatever their input. */
const ALWAYS = [
  'grantCashToFan',
  'grantPointsToFan',
  'mergeFan',
  'refundPurchase',
  'rotateServerKey',
  'startImport',
  'undoUseOfFan',
  'undoUseOfReward',
  'voidEventOfFan',
  'writeMembershipOfFan',
]
/** What each of them answers to its example, which names what there is not. */
const REFUSED: Record<string, [status: number, code: string]> = {
  grantCashToFan: [404, 'fan_not_found'],
  grantPointsToFan: [404, 'fan_not_found'],
  mergeFan: [404, 'fan_not_found'],
  refundPurchase: [404, 'purchase_not_found'],
  rotateServerKey: [404, 'server_key_not_found'],
  startImport: [409, 'import_not_tried'],
  undoUseOfFan: [404, 'fan_not_found'],
  undoUseOfReward: [404, 'fan_not_found'],
  voidEventOfFan: [404, 'fan_not_found'],
  writeMembershipOfFan: [404, 'fan_not_found'],
}
/** Operations that need a second person depending on the input. */
const BY_INPUT = [
  'answerQuestion',
  'changeStaffRole',
  'closeQuestion',
  'createServerKey',
  'inviteStaff',
  'openQuestion',
  'reportMatch',
  'restoreCatalogueEntry',
  'saveCatalogueEntry',
  'switchCatalogueEntry',
]
/** Operations that need one person, since they create nothing. */
const NEVER = [
  'announceImportFile',
  'cancelJob',
  'changeConsoleOrderLine',
  'checkImportFile',
  'confirmApproval',
  'decideAboutFan',
  'decideAppeal',
  'decideCase',
  'decideNotice',
  'deleteNotifier',
  'endMembershipOfFan',
  'endSession',
  'endSessionsOfFan',
  'endSessionsOfStaff',
  'endStaffSession',
  'eraseFan',
  'exportFan',
  'exportPackingList',
  'exportPriority',
  'exportSegment',
  'liftSanction',
  'planCatalogueEntry',
  'planMergeOfFan',
  'previewQuest',
  'previewRule',
  'previewSegment',
  'refuseApproval',
  'renameFan',
  'renameLeague',
  'replaceCodeOfFan',
  'resetMatchRevision',
  'revealNotifier',
  'revealReporter',
  'revokeServerKeys',
  'startBackup',
  'startCampaign',
  'startVerification',
  'stopCampaign',
  'storeImportFilePart',
  'undoClaimOfFan',
  'uploadCataloguePicture',
  'useCode',
  'withdrawConsentOfFan',
]

/**
 * Reads of a permission to do something. The code at the gate is worth a check-in, but only around a kick-off that two people set; the
 * others show or list.
 */
const READS = ['listStaff', 'listStaffSessions', 'lookUpCode', 'readGateCode', 'readPriorityTerms']

const SCOPES_WITH_VALUE = ['cash:write', 'events:write', 'matches:write', 'points:write', 'questions:write']
const KINDS_WITH_VALUE: string[] = [
  'account',
  'campaign',
  'competition',
  'division',
  'match',
  'pack',
  'product',
  'quest',
  'question',
  'reward',
  'rule',
  'segment',
  'set',
  'settings',
]

const scopes = Object.keys(SERVER_SCOPES).filter(isServerScope)
const kinds = Object.keys(entryKinds) as (keyof typeof entryKinds)[]

onEachEngine('two people for money', world => {
  const twoPeople = consoleOf(world, () => {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    // Guarantee of the cast: the configuration of tests with another member.
    return {
      config: { ...world.config, console: { ...console, twoPerson: ['money'] } } as ConsoleDeps['config'],
    }
  })
  const owner = (name = 'Ada') => twoPeople.as('owner', name)
  const reason = 'For the new season.'
  let count = 0
  const next = () => `value-${++count}`

  const writes = () =>
    createConsoleApi(world.deps).routes.flatMap(route => {
      const [declared, ofConsole] = [declaredOf(route), consoleDeclaredOf(route)]
      if (!declared || !ofConsole || route.method === 'GET') return []
      const isOfMoney = twoPersonGroupsOf(ofConsole.permission).includes('money')
      const whether = isOfMoney ? ofConsole.onePerson : 'always'
      return [{ id: declared.id, route, whether, body: declared.examples.body }]
    })
  const idsWhere = (whether: string) =>
    writes()
      .filter(one => one.whether === whether)
      .map(({ id }) => id)
      .toSorted()

  async function confirm(approvalId: string, by = owner('Grace')) {
    const { status, body } = await by.post(`/api/approvals/${approvalId}/confirm`, {})
    expect(status).toBe(200)
    return body.result
  }

  test('every write is classified', () => {
    expect(idsWhere('never')).toEqual(ALWAYS)
    expect(idsWhere('sometimes')).toEqual(BY_INPUT)
    // Webhooks are what other systems hear.
    expect(idsWhere('always').filter(id => !id.includes('Webhook'))).toEqual(NEVER)
  })

  test('every read that exports or discloses data is classified', () => {
    const reads = createConsoleApi(world.deps).routes.flatMap(route => {
      const [declared, ofConsole] = [declaredOf(route), consoleDeclaredOf(route)]
      if (!declared || !ofConsole || route.method !== 'GET') return []
      return /\.(read|own|decide)$/.test(ofConsole.permission) ? [] : [declared.id]
    })
    expect(reads.toSorted()).toEqual(READS)
  })

  test('every scope and every kind of entries is classified', () => {
    expect<string[]>(scopes.filter(createsValue).toSorted()).toEqual(SCOPES_WITH_VALUE)
    expect<string[]>(kinds.filter(kind => entryKinds[kind].givesValue).toSorted()).toEqual(KINDS_WITH_VALUE)
  })

  test('actions that always need them are refused at once where they cannot be done', async () => {
    const answers: Record<string, unknown> = {}
    for (const { id, route, body } of writes().filter(({ whether }) => whether === 'never')) {
      const path = route.path.replace(/:\w+/g, 'unknown')
      const person = twoPeople.as('owner', next())
      const init = { method: route.method, body: JSON.stringify(body) }
      const response = await person.send(path, { ...init, headers: { 'content-type': 'application/json' } })
      answers[id] = [response.status, response.body.code]
    }
    expect(answers).toEqual(REFUSED)
  })

  describe('a server key', () => {
    const create = (scope: string, source = next()) =>
      owner().post('/api/keys', { source, scopes: ['fans:read', scope], reason })

    test.each(scopes.map(scope => [scope] as const))(
      'with %s waits if the scope creates value',
      async scope => {
        const { status } = await create(scope)
        expect(status).toBe(SCOPES_WITH_VALUE.includes(scope) ? 202 : 201)
      },
    )

    test('is shown to the person who confirms it, and a rotation cannot bypass them', async () => {
      const source = next()
      const asked = await create('points:write', source)
      const { key } = await confirm(asked.body.approvalId)
      expect(key).toStartWith('mdk_')
      expect((await owner().post(`/api/keys/${source}/rotate`, { reason })).status).toBe(202)
      expect((await owner().post(`/api/keys/${source}/revoke`, { reason })).status).toBe(200)
    })
  })

  describe('the catalogue', () => {
    const team = (id: string) => ({ id, name: 'A team', shortName: 'ATM' })
    const rule = (id: string, points = 5) => ({
      ...{ id, name: 'Shopping', eventType: 'shop.purchase', points: { fixed: points } },
    })
    const save = (kind: string, entry: { id: string }, revision: number | null = null) =>
      twoPeople
        .as('editor', 'Ana')
        .put(`/api/catalogue/${kind}/entries/${entry.id}`, { entry, revision, reason })
    const editor = twoPeople.as('editor', 'Eva')

    // Of settings it depends on the change: see `catalogue/settings.test.ts`.
    test.each(kinds.filter(kind => kind !== 'settings').map(kind => [kind] as const))(
      'an entry of the kind %s waits if it gives value, and is refused at once if it is wrong',
      async kind => {
        const catalogue = fullCatalogue('value')
        await world.db.write(async tx => {
          for (const record of catalogue) await writeRecord(tx, record)
        })
        const record = catalogue.find(one => one.kind === kind)
        if (!record) throw new Error('the catalogue has every kind')
        const path = `/api/catalogue/${kind}/entries/${record.entry.id}`
        const revision = Number((await editor.get(path)).body.revision)
        const put = (entry: object) => owner(next()).put(path, { entry, revision, reason })
        const restore = (to: number) =>
          owner(next()).post(`${path}/restore`, { restore: to, revision, reason })
        const expected = KINDS_WITH_VALUE.includes(kind) ? 202 : 200
        const asked = [
          await put(record.entry),
          await restore(revision),
          await owner(next()).post(`${path}/activation`, { active: true, revision, reason }),
        ]
        expect(asked.map(({ status }) => status)).toEqual([expected, expected, expected])
        const refused = [await put({}), await restore(revision + 100)]
        expect(refused.map(({ status }) => status)).toEqual([422, 404])
        // One person can switch off an entry that gives too much.
        const { body } = await editor.get(path)
        const off = await owner(next()).post(`${path}/activation`, {
          ...{ active: false, revision: body.revision, reason },
        })
        expect(off.status).toBe(200)
      },
    )

    test('a team is saved by one person, and a rule by two, with its history', async () => {
      expect((await save('team', team(next()))).status).toBe(200)
      const id = next()
      const asked = await save('rule', rule(id))
      expect([asked.status, asked.body.code]).toEqual([202, 'approval_required'])
      const path = `/api/catalogue/rule/entries/${id}`
      expect((await editor.get(path)).status).toBe(404)
      await confirm(asked.body.approvalId, editor)
      const changed = await save('rule', rule(id, 500), 1)
      await confirm(changed.body.approvalId, editor)
      expect((await editor.get(path)).body).toMatchObject({ revision: 2, entry: { points: { fixed: 500 } } })
      const restored = await editor.post(`${path}/restore`, { restore: 1, revision: 2, reason })
      expect(restored.status).toBe(202)
      const [newest] = (await editor.get(`${path}/history`)).body.revisions
      expect(JSON.stringify(newest)).toContain('Ana')
    })
  })

  test('a result waits, and a running score does not', async () => {
    const { matchId } = await addMatch(world)
    const editor = twoPeople.as('editor', 'Ana')
    const path = `/api/match-day/matches/${matchId}`
    const { kickoffAt } = (await editor.get(path)).body
    const report = (revision: number, status: string, homeScore: number | null = 1) =>
      editor.put(path, { revision, kickoffAt, status, homeScore, awayScore: homeScore, reason, early: true })
    const [{ revision }] = [(await editor.get(path)).body]
    expect((await report(revision + 1, 'live')).status).toBe(200)
    expect((await report(revision + 2, 'scheduled', null)).status).toBe(202)
    const asked = await report(revision + 2, 'finished')
    expect(asked.status).toBe(202)
    expect((await editor.get(path)).body.status).toBe('live')
    await confirm(asked.body.approvalId, twoPeople.as('editor', 'Eva'))
    expect((await editor.get(path)).body.status).toBe('finished')
  })

  test.each([
    ['gives points', 10, 202],
    ['gives none', null, 200],
  ])('the close of an open question that %s is moved nearer', async (_, points, nearer) => {
    const at = (minutes: number) => new Date(world.clock.ms + minutes * 60_000).toISOString()
    const id = await addQuestion(world, { points, opensAt: at(1), closesAt: at(60) })
    const editor = twoPeople.as('editor', next())
    const open = async (closesAt: string) =>
      (await editor.post(`/api/live/questions/${id}/open`, { closesAt, reason })).status
    // It begins, and then stays open for longer.
    expect([await open(at(30)), await open(at(45))]).toEqual([200, 200])
    expect(await open(at(1))).toBe(nearer)
    const { closesAt } = await readQuestion(world.anonymous, id)
    expect(closesAt).toBe(at(nearer === 200 ? 1 : 45))
  })

  describe('the check-in of a match', () => {
    const day = 24 * 3_600_000
    async function addMatchIn(ms: number) {
      const kickoffAt = new Date(world.clock.ms + ms)
      const path = `/api/match-day/matches/${await world.match({ id: next(), kickoffAt })}`
      const editor = twoPeople.as('editor', 'Ana')
      const report = async (fields: { status: string; kickoffAt?: string; homeScore?: number }) => {
        const { body } = await editor.get(path)
        const { homeScore = null } = fields
        const state = { revision: body.revision + 1, kickoffAt: body.kickoffAt, ...fields }
        return editor.put(path, { ...state, homeScore, awayScore: homeScore })
      }
      const checkIn = async () => {
        const { body } = await editor.get(`${path}/check-in-code`)
        return (await (await world.fan()).post('/api/check-ins', { code: body.code })).status
      }
      return { report, checkIn }
    }
    const now = () => new Date(world.clock.ms).toISOString()

    test('is not opened by one person who moves the kick-off', async () => {
      const { report, checkIn } = await addMatchIn(30 * day)
      expect(await checkIn()).toBe(409)
      const moved = [
        await report({ status: 'live', kickoffAt: now(), homeScore: 0 }),
        await report({ status: 'postponed', kickoffAt: now() }),
        await report({ status: 'cancelled', kickoffAt: now() }),
      ]
      expect(moved.map(({ status }) => status)).toEqual([202, 202, 202])
      expect((await report({ status: 'live', homeScore: 0 })).status).toBe(200)
      expect(await checkIn()).toBe(409)
      const asked = await report({ status: 'live', kickoffAt: now(), homeScore: 0 })
      await confirm(asked.body.approvalId, twoPeople.as('editor', 'Eva'))
      expect(await checkIn()).toBe(201)
    })

    test.each([
      ['postponed', 202],
      // Nobody can.
      ['cancelled', 422],
    ])('is closed by one person, who cannot reopen a %s match', async (status, refusal) => {
      const { report, checkIn } = await addMatchIn(day / 24)
      expect(await checkIn()).toBe(201)
      expect((await report({ status })).status).toBe(200)
      expect((await report({ status: 'live', homeScore: 0 })).status).toBe(refusal)
      expect(await checkIn()).toBe(409)
    })

    test('needs one person on an ordinary match day', async () => {
      const { report, checkIn } = await addMatchIn(day / 24)
      expect(await checkIn()).toBe(201)
      expect((await report({ status: 'live', homeScore: 0 })).status).toBe(200)
      expect((await report({ status: 'live', homeScore: 1 })).status).toBe(200)
      expect(await checkIn()).toBe(201)
    })
  })
})
