/** Texts of the catalogue in several languages: which one a response has, what it says of it, and what caches may keep. */
import { beforeAll, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { DECLARED } from '../../../src/platform/http/contract/operation.ts'
import { type CatalogueRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { buy, open, patientFan } from '../../play/packs/packs-world.ts'
import type { Answer, Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

const scarf = { en: 'Scarf', pt: 'Cachecol', 'pt-BR': 'Cachecol do Brasil', ar: 'وشاح' }
const by = (...tags: string[]) => ({ 'accept-language': tags.join(', ') })

onEachEngine('Languages', world => {
  let fan: Fan
  let key: string

  const state = (...records: CatalogueRecord[]) =>
    world.db.write(async tx => {
      for (const record of records) await writeRecord(tx, record)
    })

  beforeAll(async () => {
    await state(
      {
        kind: 'team',
        entry: {
          id: 'harbour',
          name: { en: 'Harbour', pt: 'Porto', ar: 'الميناء' },
          shortName: 'HAR',
          city: { en: 'Port Wessel', pt: 'Porto Wessel' },
        },
      },
      { kind: 'team', entry: { id: 'rovers', name: 'Rovers', shortName: 'ROV' } },
      {
        kind: 'match',
        entry: {
          id: 'derby',
          competition: { en: 'Cup', pt: 'Taça' },
          season: '2026/27',
          round: { en: 'Final', pt: 'Final da taça' },
          venue: { en: 'Harbour Park', pt: 'Parque do Porto' },
          homeTeamId: 'harbour',
          awayTeamId: 'rovers',
          kickoffAt: '2026-08-15T18:30:00.000Z',
        },
      },
      {
        kind: 'reward',
        entry: { id: 'scarf', title: scarf, description: 'A scarf.', itemType: 'voucher', pointsRequired: 0 },
      },
      {
        kind: 'reward',
        entry: {
          id: 'mug',
          title: { de: 'Tasse', pt: 'Caneca' },
          description: { de: 'Eine Tasse.', pt: 'Uma caneca.' },
          itemType: 'voucher',
          pointsRequired: 0,
        },
      },
      {
        kind: 'pack',
        entry: {
          id: 'starter',
          name: { en: 'Starter', pt: 'Inicial' },
          description: { en: 'One moment.', pt: 'Um momento.' },
          price: { amount: 0, currency: 'POINTS' },
          itemsPerPack: 1,
          items: [
            {
              id: 'goal',
              weight: 1_000_000,
              name: { en: 'The goal', pt: 'O golo' },
              description: { en: 'Minute 94.', pt: 'Minuto 94.' },
              rarity: 'rare',
            },
          ],
        },
      },
      {
        kind: 'quest',
        entry: {
          id: 'claimer',
          title: { en: 'Claim one', pt: 'Resgata um' },
          description: { en: 'Claim a reward.', pt: 'Resgata uma recompensa.' },
          kind: 'achievement',
          steps: [{ id: 'claims', eventType: 'reward.claimed', target: 1 }],
          period: 'once',
          reward: { points: 10 },
          claim: 'manual',
        },
      },
    )
    fan = await patientFan(world)
    key = await world.serverKey(['redemptions:read', 'redemptions:write', 'matches:write'])
  })

  const languageOf = ({ headers }: Answer) => headers.get('content-language')
  const textsOf = (answer: Answer): string[] =>
    [...JSON.stringify(answer.body).matchAll(/"(?:title|name)":"([^"]*)"/g)].map(([, text]) => text ?? '')
  const titleOf = ({ body }: Answer, id: string) =>
    body.rewards.find((reward: { id: string }) => reward.id === id).title

  test('lang comes first, then the locale of the profile, then Accept-Language, then the default of the text', async () => {
    const other = await patientFan(world)
    const list = async (query: string, headers: Record<string, string> = {}) =>
      titleOf(await other.get(`/api/rewards${query}`, headers), 'scarf')
    expect(await list('')).toBe('Scarf')
    expect(await list('', by('ar'))).toBe('وشاح')
    await other.post('/api/user/profile', { locale: 'pt-BR' })
    expect(await list('', by('ar'))).toBe('Cachecol do Brasil')
    expect(await list('?lang=pt', by('ar'))).toBe('Cachecol')
    await other.patch('/api/user/profile', { locale: 'pt-PT' })
    expect(await list('')).toBe('Cachecol')
    await other.patch('/api/user/profile', { locale: 'ja' })
    expect(await list('?lang=sv', by('ar'))).toBe('وشاح')
    await other.patch('/api/user/profile', { locale: null })
    expect(await list('?lang=sv', by('ja'))).toBe('Scarf')
  })

  test.each([
    ['the tag, then its parents', ['pt-BR-x-club'], 'Cachecol do Brasil'],
    ['a parent', ['pt-AO'], 'Cachecol'],
    ['any case', ['PT-br'], 'Cachecol do Brasil'],
    ['the greatest weight', ['en;q=0.2', 'ar;q=0.9', 'pt;q=0.5'], 'وشاح'],
    ['the first of equal weights', ['ar', 'pt'], 'وشاح'],
    ['no language of weight 0', ['ar;q=0', 'pt;q=0.1'], 'Cachecol'],
    ['no other script by chance', ['az-Arab'], 'Scarf'],
    ['the default for any language', ['*'], 'Scarf'],
  ])('Accept-Language: %s', async (_, tags, title) => {
    expect(titleOf(await fan.get('/api/rewards', by(...tags)), 'scarf')).toBe(title)
  })

  test.each([
    [';;;,,='],
    ['pt;q=2'],
    ['pt;q=x'],
    ['cachecol do brasil'],
    ['p'],
    [`${'pt,'.repeat(500)}pt`],
    ['<pt>'],
  ])('an invalid Accept-Language is ignored: %s', async header => {
    const answer = await fan.get('/api/rewards', { 'accept-language': header })
    expect([answer.status, titleOf(answer, 'scarf')]).toEqual([200, 'Scarf'])
  })

  test.each([['pt_BR'], ['p'], [''], ['português'], [`en-${'a'.repeat(40)}`]])(
    'lang that is not a language tag is refused: %s',
    async lang => {
      const { status, body } = await world.anonymous.get(`/api/teams?lang=${encodeURIComponent(lang)}`)
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      expect(body.errors).toEqual([
        { parameter: 'lang', message: 'must be a language tag (BCP 47), such as pt-BR' },
      ])
    },
  )

  test('problems stay English', async () => {
    const { body } = await fan.post('/api/rewards/claim?lang=pt', { rewardId: 'none' }, by('pt'))
    expect([body.code, body.title]).toEqual(['reward_not_found', 'There is no such reward'])
  })

  test('every text of every kind of entry is in the language that was asked for', async () => {
    const { anonymous } = world
    const { teams } = (await anonymous.get('/api/teams?lang=pt')).body
    const team = teams.find(({ id }: { id: string }) => id === 'harbour')
    expect([team.name, team.shortName, team.city]).toEqual(['Porto', 'HAR', 'Porto Wessel'])
    const match = { competition: 'Taça', round: 'Final da taça', venue: 'Parque do Porto' }
    expect((await anonymous.get('/api/matches?lang=pt')).body.matches).toMatchObject([match])
    expect((await anonymous.get('/api/matches/derby?lang=pt')).body).toMatchObject(match)
    expect((await anonymous.get('/api/packs?lang=pt')).body.packs).toMatchObject([
      { name: 'Inicial', description: 'Um momento.' },
    ])
    const item = { id: 'goal', name: 'O golo', description: 'Minuto 94.' }
    expect((await anonymous.get('/api/packs/starter?lang=pt')).body).toMatchObject({
      name: 'Inicial',
      items: [item],
    })
    expect((await fan.get('/api/quests?lang=pt')).body.quests).toMatchObject([
      { title: 'Resgata um', description: 'Resgata uma recompensa.' },
    ])
    const { userPack } = await buy(fan, 'starter')
    expect((await fan.post('/api/packs/open?lang=pt', { userPackId: userPack.id })).body.items).toMatchObject(
      [item],
    )
    expect((await open(fan, userPack.id)).body.items).toMatchObject([{ name: 'The goal' }])
    expect((await fan.get('/api/user/collection?lang=pt')).body.items).toMatchObject([item])
    expect((await anonymous.get('/api/collectibles/goal/serials/1/provenance?lang=pt')).body.name).toBe(
      'O golo',
    )
    const other = await patientFan(world)
    await other.post('/api/user/profile', { handle: 'collector' })
    const give = [{ collectibleId: 'goal', serialNumber: 1 }]
    const gift = await fan.post('/api/trades?lang=pt', { to: 'collector', give })
    expect(gift.body.give).toMatchObject([{ name: 'O golo' }])
    expect((await other.get('/api/user/trades?lang=en')).body.trades).toMatchObject([
      { give: [{ name: 'The goal' }] },
    ])
    expect((await fan.post('/api/rewards/claim?lang=ar', { rewardId: 'scarf' })).body.reward.title).toBe(
      'وشاح',
    )
    expect((await fan.post('/api/quests/claim?lang=pt', { questId: 'claimer' })).body.quest.title).toBe(
      'Resgata um',
    )
    const { reward } = (await fan.post('/api/rewards/redeem?lang=pt', { rewardId: 'scarf' })).body
    expect(reward.title).toBe('Cachecol')
    expect(titleOf(await fan.get('/api/user/rewards?lang=pt'), 'scarf')).toBe('Cachecol')
    const desk = world.withToken(key)
    const path = `/api/redemptions/${reward.redemptionCode}`
    expect((await desk.get(`${path}?lang=pt`)).body.reward.title).toBe('Cachecol')
    expect((await desk.post(`${path}/use?lang=ar`)).body.reward.title).toBe('وشاح')
    const update = {
      revision: 2,
      status: 'scheduled',
      kickoffAt: '2026-08-15T18:30:00Z',
      homeScore: null,
      awayScore: null,
    }
    expect((await desk.put('/api/matches/derby?lang=pt', update)).body.venue).toBe('Parque do Porto')
  })

  test('Content-Language names the languages that the texts have, and the default without such texts', async () => {
    const list = async (tag: string) => languageOf(await fan.get('/api/rewards', by(tag)))
    expect(await list('pt-BR')).toBe('pt, pt-BR')
    expect(await list('pt')).toBe('pt')
    expect(await list('ja')).toBe('de, en')
    expect(languageOf(await world.anonymous.get('/api/matches?from=2040-01-01T00:00:00Z&lang=pt'))).toBe('en')
  })

  /** The client of the request, and whether shared caches may keep the response. */
  const conditional = (): [string, Client][] => [
    ['/api/teams', world.anonymous],
    ['/api/matches', world.anonymous],
    ['/api/packs', world.anonymous],
    ['/api/packs/starter', world.anonymous],
    ['/api/quests', fan],
  ]

  test('each language has its own ETag, which gets 304 only in that language', async () => {
    for (const [path, client] of conditional()) {
      const [english, portuguese] = [await client.get(path, by('en')), await client.get(path, by('pt'))]
      const [en, pt] = [english, portuguese].map(({ headers }) => headers.get('etag') ?? '')
      expect(en).not.toBe(pt)
      expect([languageOf(english), languageOf(portuguese)]).toEqual(['en', 'pt'])
      const again = (tag: string, etag = '') => client.get(path, { ...by(tag), 'if-none-match': etag })
      const unchanged = await again('pt', pt)
      expect([unchanged.status, languageOf(unchanged), unchanged.headers.get('vary')]).toEqual([
        304,
        'pt',
        portuguese.headers.get('vary'),
      ])
      expect((await again('pt', en)).status).toBe(200)
      // The order of the requests does not matter: nothing of the other language was kept for this one.
      for (const tag of ['en', 'pt', 'en'])
        expect(textsOf(await client.get(path, by(tag)))).toEqual(textsOf(tag === 'en' ? english : portuguese))
    }
  })

  test('public lists stay cacheable, by language', async () => {
    const { headers } = await world.anonymous.get('/api/packs', by('pt'))
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=1, must-revalidate')
    expect(headers.get('vary')).toBe('Authorization, Accept-Language')
  })

  test('HEAD and gzip have the language of GET', async () => {
    await state(
      ...Array.from({ length: 12 }, (_, n) => ({
        kind: 'team' as const,
        entry: {
          id: `club-${n}`,
          name: { en: `Club number ${n}`, pt: `Clube número ${n}` },
          shortName: `C${n}`,
        },
      })),
    )
    const request = (method: string, headers: Record<string, string>) =>
      world.app.handle(new Request('http://localhost/api/teams', { method, headers }))
    const plain = await request('GET', by('pt'))
    const head = await request('HEAD', by('pt'))
    for (const name of ['content-language', 'etag', 'vary'])
      expect(head.headers.get(name)).toBe(plain.headers.get(name))
    for (const tag of ['pt', 'en']) {
      const zipped = await request('GET', { ...by(tag), 'accept-encoding': 'gzip' })
      expect([zipped.headers.get('content-encoding'), zipped.headers.get('content-language')]).toEqual([
        'gzip',
        tag,
      ])
      const text = new TextDecoder().decode(Bun.gunzipSync(await zipped.arrayBuffer()))
      expect(text).toContain(tag === 'pt' ? 'Clube número 3' : 'Club number 3')
      expect(text).toBe(await (await request('GET', by(tag))).text())
    }
  })

  test('a repeat by Idempotency-Key has the texts of the first response, in the language that it asks for', async () => {
    const other = await patientFan(world)
    const claim = (tag: string) =>
      other.post('/api/rewards/claim', { rewardId: 'mug' }, { ...by(tag), 'idempotency-key': 'one' })
    const first = await claim('pt')
    await state({
      kind: 'reward',
      entry: {
        id: 'mug',
        title: { de: 'Becher', pt: 'Copo' },
        description: 'x',
        itemType: 'voucher',
        pointsRequired: 0,
      },
    })
    const [same, german] = [await claim('pt'), await claim('de')]
    expect(same.body).toEqual(first.body)
    expect([same.headers.get('idempotent-replayed'), languageOf(same)]).toEqual(['true', 'pt'])
    expect([german.body.reward.title, languageOf(german)]).toEqual(['Tasse', 'de'])
    await state({
      kind: 'reward',
      entry: {
        id: 'mug',
        title: { de: 'Tasse', pt: 'Caneca' },
        description: { de: 'Eine Tasse.', pt: 'Uma caneca.' },
        itemType: 'voucher',
        pointsRequired: 0,
      },
    })
  })

  test('a filter of matches compares the default language', async () => {
    const count = async (query: string) =>
      (await world.anonymous.get(`/api/matches?lang=pt&${query}`)).body.matches.length
    expect([await count('competition=Cup'), await count('competition=Ta%C3%A7a')]).toEqual([1, 0])
  })

  test('exactly the operations whose responses have texts of the catalogue take lang', () => {
    const app: Pick<Elysia, 'routes'> = world.app
    const localized = app.routes.flatMap(({ hooks }) => {
      const declared = hooks.detail?.[DECLARED]
      return declared?.localized ? [declared.id] : []
    })
    expect(localized.toSorted()).toEqual([
      'acceptTrade',
      'cancelTrade',
      'claimQuest',
      'claimReward',
      'declineTrade',
      'listAccountEntries',
      'listAccounts',
      'listCompetitions',
      'listDocuments',
      'listLeagues',
      'listMatches',
      'listMemberships',
      'listOwnRewards',
      'listPacks',
      'listPlayers',
      'listProducts',
      'listQuestions',
      'listQuests',
      'listRewards',
      'listSeasons',
      'listSets',
      'listSponsors',
      'listTeams',
      'listTrades',
      'lookUpRedemption',
      'offerTrade',
      'openPack',
      'readCollection',
      'readDashboard',
      'readDivision',
      'readFan',
      'readLeague',
      'readLocker',
      'readMatch',
      'readOwnLocker',
      'readPack',
      'readProduct',
      'readProfile',
      'readProvenance',
      'readReceipt',
      'readTrade',
      'redeemReward',
      'updateMatch',
      'updateProfile',
      'useRedemption',
      'writeLocker',
      'writeMembership',
      'writeProfile',
      'writeQuestion',
      'writeVote',
    ])
  })

  test('the document shows the parameter and the header of these operations', async () => {
    const response = await world.app.handle(new Request('http://localhost/docs/json'))
    // biome-ignore lint/suspicious/noExplicitAny: the expectations say what the document has
    const { paths }: any = await response.json()
    expect(paths['/api/teams'].get.parameters).toContainEqual(
      expect.objectContaining({ name: 'lang', in: 'query', required: false }),
    )
    const { headers } = paths['/api/teams'].get.responses[200]
    expect(headers['Content-Language']).toEqual({ $ref: '#/components/headers/ContentLanguage' })
    expect(paths['/api/user/points'].get.responses[200].headers).not.toHaveProperty('Content-Language')
  })
})

onEachEngine(
  'DEFAULT_LANGUAGE',
  world => {
    test('is the Content-Language of texts that are one string', async () => {
      await world.team()
      const answer = await world.anonymous.get('/api/teams', by('en'))
      expect(answer.headers.get('content-language')).toBe('pt-BR')
    })
  },
  { env: { DEFAULT_LANGUAGE: 'pt-br' } },
)
