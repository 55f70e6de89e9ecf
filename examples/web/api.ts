/** All requests of the app, with the client of this repository. */
import {
  createClient,
  type Data,
  type Input,
  type ProblemCode,
  ProblemError,
  type StreamEvent,
  unwrap,
} from '@matchday/client'
import type { Item, ItemReference } from './items.ts'
import { language, text } from './lang/lang.ts'
import { beginKeeping, beginKeepingCards, REWARDS } from './passes.ts'
import { addressOf } from './router.tsx'
import { isSignedIn, markEnded, store } from './session.ts'
import type { Locker, WrittenLocker } from './shelves.ts'

export { type Item, type ItemReference, type Locker, type ProblemCode, ProblemError, type WrittenLocker }

// It retries, refreshes the session and resumes the stream.
const { api, session, follow, inbox, devices } = createClient({
  origin: location.origin,
  store,
  onSessionEnd: markEnded,
})

/** Language of the club's texts: the language of the app, even if the browser prefers another. */
const lang = language.id

/** @throws ProblemError */
const send: typeof unwrap = async call => {
  try {
    return await unwrap(call)
  } catch (error) {
    // Also after a refresh, or without a session that can be read: only a sign-in helps.
    if (hasCode(error, 'invalid_token', 'unauthenticated') && isSignedIn()) {
      await store.write(null)
      markEnded()
    }
    throw error
  }
}

export const hasCode = (error: unknown, ...codes: ProblemCode[]) =>
  error instanceof ProblemError && codes.includes(error.problem.code)

/** Null if the read is refused with one of these codes. */
export const orNull = <T>(read: Promise<T>, ...codes: ProblemCode[]) =>
  read.catch(error => {
    if (hasCode(error, ...codes)) return null
    throw error
  })

export const signIn = (accessToken: string) =>
  unwrap(session.signIn(accessToken, { deviceName: text.sessions.browser }))

export type DataFile = Data<'readExport'>
/** Null if the fan has asked for none. */
export const readDataFile = () => orNull(send(api.readExport()), 'export_not_found')
export const requestDataFile = (): Promise<DataFile> => send(api.requestExport())

/**
 * Needs the token of a new sign-in, which the API requires. False: the token belongs to another fan, and nothing is deleted.
 */
export async function deleteAccount(accessToken: string, accountId: string | null): Promise<boolean> {
  const token = { token: accessToken }
  const profile = await orNull(unwrap(api.readProfile({}, token)), 'profile_not_found')
  if ((profile?.id ?? null) !== accountId) return false
  await unwrap(api.deleteAccount({}, token))
  await store.write(null)
  return true
}

/** Ends pushes and the session, on the server if it can be reached, and here. */
export async function signOut(everywhere = false): Promise<void> {
  // The server first: otherwise the other devices would silently stay signed in.
  await unsubscribeBrowser()
  if (everywhere) await send(api.logOut({ everywhere }))
  await (everywhere ? store.write(null) : session.signOut())
}

/** Calls `onEvent` after each event of the fan, and when events may have been missed. Returns a function that ends it. */
export const followEvents = (onEvent: () => void) => follow(['me'], onEvent)

/** Calls `onState` with the current state of each match, and after each change. Null: the match is gone. */
export const followMatches = (
  matchIds: string[],
  onState: (matchId: string, state: Pick<Match, 'status' | 'homeScore' | 'awayScore'> | null) => void,
) =>
  follow(
    matchIds.map(id => `match:${id}` as const),
    event => {
      if (!isOfMatch(event)) return
      const { type, data } = event
      onState(type.slice('match:'.length), 'status' in data ? data : null)
    },
  )

/** The score of a match and its questions: each with its state, and its results where everyone may see them. Null: it is gone. */
export const followRounds = (
  matchId: string,
  questionIds: string[],
  tell: {
    match(scores: Pick<Match, 'status' | 'homeScore' | 'awayScore'>): void
    question(questionId: string, asked: Pick<Question, 'state' | 'results' | 'correct'> | null): void
    /** Events may have been missed. */
    missed(): void
  },
) => {
  let isFirst = true
  return follow([`match:${matchId}`, ...questionIds.map(id => `question:${id}` as const)], event => {
    const { type, data } = event
    if (isOfMatch(event) && 'status' in event.data) tell.match(event.data)
    if (type.startsWith('question:') && 'state' in data)
      tell.question(type.slice('question:'.length), data.state === null ? null : data)
    if (type !== 'reset') return
    if (!isFirst) tell.missed()
    isFirst = false
  })
}

const isOfMatch = (event: StreamEvent): event is Extract<StreamEvent, { type: `match:${string}` }> =>
  event.type.startsWith('match:')

/** The sponsor who supports an entry, by its id. */
const presentBy =
  (sponsors: Sponsor[]) =>
  <Entry extends { sponsorId: string | null }>(entry: Entry): Entry & Presented => ({
    ...entry,
    sponsor: sponsors.find(({ id }) => id === entry.sponsorId) ?? null,
  })

const SPONSORS_MS = 60_000
let sponsors = { readAt: Number.NEGATIVE_INFINITY, present: Promise.resolve(presentBy([])) }

/** Once for several lists, and again after a minute. Without the list, the app names no sponsor. */
function readSponsors(): typeof sponsors.present {
  const now = performance.now()
  if (now - sponsors.readAt >= SPONSORS_MS)
    sponsors = {
      readAt: now,
      present: send(api.listSponsors({ lang })).then(
        read => presentBy(read.sponsors),
        () => {
          sponsors.readAt = Number.NEGATIVE_INFINITY
          return presentBy([])
        },
      ),
    }
  return sponsors.present
}

// Reads.
export const readDashboard = () => send(api.readDashboard())
export const readOnboarding = () => send(api.readOnboarding())
export async function readRewards() {
  const keep = beginKeeping()
  const [list, present] = await Promise.all([send(api.listRewards({ lang })), readSponsors()])
  const passes = list.rewards.flatMap(({ id, title, redemptionCode: code }) =>
    code === null ? [] : { id, kind: 'reward' as const, title, code, to: addressOf('rewards', id) },
  )
  keep(REWARDS, passes)
  return { ...list, rewards: list.rewards.map(present) }
}
/** Also keeps the member cards on the device. */
export async function readMemberships() {
  const keep = beginKeepingCards()
  const [{ memberships }, { accounts }] = await Promise.all([
    send(api.listMemberships({ lang })),
    send(api.listAccounts({ lang })),
  ])
  const tiers = accounts.flatMap(({ tier }) => tier?.name ?? [])
  keep(memberships.map(({ kindId: _, imageUrl: _i, state: _s, ...card }) => ({ ...card, tiers })))
  return { memberships, accounts }
}
/** With the bands of the accounts that are public. */
export async function readMembership() {
  const { memberships, accounts } = await readMemberships()
  const bands = await Promise.all(
    accounts.map(({ id }) => orNull(send(api.readBands({ id })), 'account_not_found')),
  )
  return {
    memberships,
    accounts: accounts.map((account, index) => ({ account, bands: bands[index] ?? null })),
  }
}
/** With the names of seasons. */
export async function readAccountEntries(id: string, cursor?: string) {
  const [page, { seasons }] = await Promise.all([
    send(api.listAccountEntries({ id, limit: 30, cursor, lang })),
    send(api.listSeasons({ lang })),
  ])
  const names = new Map(seasons.map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? id))
  return { ...page, entries: page.entries.map(entry => ({ ...entry, season: nameOf(entry.seasonId) })) }
}
export async function readPacks() {
  const [{ packs }, present] = await Promise.all([send(api.listPacks({ lang })), readSponsors()])
  return { packs: packs.map(present) }
}
export async function readPack(packId: string) {
  const [pack, present] = await Promise.all([send(api.readPack({ packId, lang })), readSponsors()])
  return present(pack)
}
export async function readQuests() {
  const [{ quests }, present] = await Promise.all([send(api.listQuests({ lang })), readSponsors()])
  return { quests: quests.map(present) }
}
/** Of a match, or of all. */
export const readQuestions = (matchId?: string) => send(api.listQuestions({ matchId, limit: 100, lang }))
export async function readMatch(matchId: string) {
  const [match, present] = await Promise.all([send(api.readMatch({ matchId, lang })), readSponsors()])
  return present(match)
}
export const readTeams = () => send(api.listTeams({ lang }))
export const readSessions = (cursor?: string) => send(api.listSessions({ limit: 20, cursor }))
export const readPurchase = (purchaseId: string) => send(api.readPurchase({ purchaseId }))
export const readPurchases = () => send(api.listPurchases({ limit: 20 }))
export const readOwnPacks = (cursor?: string) => send(api.listUserPacks({ limit: 100, cursor }))
export const readProof = (userPackId: string) => send(api.readProof({ userPackId }))
export async function readProducts(cursor?: string) {
  const [page, present] = await Promise.all([
    send(api.listProducts({ limit: 50, cursor, lang })),
    readSponsors(),
  ])
  return { ...page, products: page.products.map(present) }
}
/** The currencies of the prices of packs and products: that of most prices first, `POINTS` last. */
export async function readCurrencies(): Promise<string[]> {
  const { packs } = await send(api.listPacks({ lang }))
  const prices = packs.map(({ price }) => price)
  let cursor: string | undefined
  do {
    const { products, nextCursor } = await send(api.listProducts({ limit: 100, cursor, lang }))
    prices.push(...products.map(({ price }) => price))
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  const { POINTS = [], ...money } = Object.groupBy(prices, ({ currency }) => currency)
  const byPrices = Object.entries(money).sort(([, one = []], [, other = []]) => other.length - one.length)
  return [...byPrices.map(([currency]) => currency), ...(POINTS.length > 0 ? ['POINTS'] : [])]
}
export async function readProduct(productId: string) {
  const [product, present] = await Promise.all([send(api.readProduct({ productId, lang })), readSponsors()])
  return present(product)
}
export const readOrders = (cursor?: string) => send(api.listOrders({ limit: 20, cursor }))
/** A link to a file that was bought, which needs no token. */
export const issueDownload = (orderId: string, number: number) => send(api.issueDownload({ orderId, number }))
export const readOrder = (orderId: string) => send(api.readOrder({ orderId }))
export const readPredictions = () => send(api.listPredictions({ limit: 100 }))
/** Competitions with rules of their own for predictions. */
export const readCompetitions = () => send(api.listCompetitions({ lang }))
export const readPredictionRules = (matchId: string) => send(api.readPredictionRules({ matchId }))
export async function readMatches(query: {
  from?: string
  status?: 'finished'
  teamId?: string | undefined
  limit: number
}) {
  const [page, present] = await Promise.all([send(api.listMatches({ ...query, lang })), readSponsors()])
  return { ...page, matches: page.matches.map(present) }
}
export const readPoints = (cursor?: string) => send(api.readPoints({ limit: 30, cursor }))
export const readCollection = (cursor?: string) => send(api.readCollection({ limit: 100, cursor, lang }))
/** Every copy of a card that the fan has, each once. */
export async function readOwnItems(): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  do {
    const page = await readCollection(cursor)
    for (const { id: collectibleId, name, imageUrl, rarity, serialNumbers } of page.items)
      for (const serialNumber of serialNumbers)
        items.push({ collectibleId, serialNumber, name, imageUrl, rarity })
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
}
export const readLeaderboard = (board: Board, page: { cursor?: string; around?: 'me' | undefined } = {}) =>
  send(api.readLeaderboard({ ...BOARDS[board], limit: 25, ...page }))

export const readLeagues = () => send(api.listLeagues())
export const readLeague = (leagueId: string, cursor?: string) =>
  send(api.readLeague({ leagueId, limit: 50, cursor }))
export const readLeagueRounds = (leagueId: string, cursor?: string) =>
  send(api.readLeagueRounds({ leagueId, limit: 5, cursor }))

export const readDivision = () => send(api.readDivision({ lang }))

const BOARDS = {
  all: { period: 'all' },
  month: { period: 'month' },
  week: { period: 'week' },
  predictions: { kind: 'predictions' },
} as const
export type Board = keyof typeof BOARDS

export const readFeed = (cursor?: string) => send(api.readFeed({ limit: 30, cursor }))
/** The receipt of an order with its credit notes, as one HTML file to print, in the language of the app. */
export async function readReceiptFile(orderId: string): Promise<{ name: string; file: Blob }> {
  // Refused as any read is.
  const { number } = await send(api.readReceipt({ orderId, lang }))
  const headers = { accept: 'text/html', authorization: `Bearer ${await session.token()}` }
  const path = `/api/user/orders/${encodeURIComponent(orderId)}/receipt?lang=${lang}`
  const response = await fetch(path, { headers })
  if (!response.ok) throw new Error(text.shop.noReceipt)
  return { name: `${number}.html`, file: await response.blob() }
}

export const readSanctions = () => send(api.listSanctions())
export const fileAppeal = (appeal: Input<'fileAppeal'>, idempotencyKey: string) =>
  send(api.fileAppeal(appeal, { idempotencyKey }))
export const readDocuments = () => send(api.listDocuments({ lang }))
export const readConsents = () => send(api.readConsents())
export const readReferral = () => send(api.readReferral())
export const readPrivacy = () => send(api.readPrivacy())
export const readLimits = () => send(api.readOwnLimits())
const LISTS: Record<FanList, (page: { limit: number; cursor?: string | undefined }) => Promise<FansPage>> = {
  following: page => send(api.listFollowing(page)),
  followers: page => send(api.listFollowers(page)),
  mutes: page => send(api.listMutes(page)),
  blocks: page => send(api.listBlocks(page)),
}
/** Newest first. */
export const readFans = (list: FanList, cursor?: string, limit = 30) => LISTS[list]({ limit, cursor })

export const readSets = () => send(api.listSets({ lang }))
export const readOwnLocker = () => send(api.readOwnLocker({ lang }))
export const readLocker = (handle: string) => send(api.readLocker({ handle, lang }))
export const readTrades = (cursor?: string) => send(api.listTrades({ limit: 30, cursor, lang }))
export const readTrade = (tradeId: string) => send(api.readTrade({ tradeId, lang }))
export const readProvenance = (collectibleId: string, serialNumber: number) =>
  send(api.readProvenance({ collectibleId, serialNumber, lang }))

/** Null for a handle that nobody has, and for a fan who is hidden from the caller. */
export async function readFan(handle: string) {
  try {
    return await send(api.readFan({ handle }))
  } catch (error) {
    if (hasCode(error, 'fan_not_found')) return null
    throw error
  }
}

/** Null before the first write of a fan. */
export async function readProfile() {
  try {
    return await send(api.readProfile())
  } catch (error) {
    if (hasCode(error, 'profile_not_found')) return null
    throw error
  }
}

// Writes. `idempotencyKey` is the same for each attempt at one intent of the fan.
export const join = ({ referralCode }: { referralCode?: string | undefined }, idempotencyKey: string) =>
  send(api.completeOnboarding({ referralCode }, { idempotencyKey }))
export const joinLeaderboard = (idempotencyKey: string) => send(api.joinLeaderboard({}, { idempotencyKey }))
export const leaveLeaderboard = () => send(api.leaveLeaderboard())
export const claimReward = (rewardId: string, idempotencyKey: string) =>
  send(api.claimReward({ rewardId, lang }, { idempotencyKey }))
export const redeemReward = (rewardId: string, idempotencyKey: string) =>
  send(api.redeemReward({ rewardId, lang }, { idempotencyKey }))
export const claimQuest = (quest: { questId: string; periodKey?: string }, idempotencyKey: string) =>
  send(api.claimQuest({ ...quest, lang }, { idempotencyKey }))
export const startPurchase = (packId: string, idempotencyKey: string) =>
  send(api.startPurchase({ packId }, { idempotencyKey }))
/** Prepares the payment and returns its gateway. A repeat returns the same. */
export const preparePayment = (purchaseId: string) => send(api.preparePayment({ purchaseId }))
/** Development only: the payment of the sandbox, which takes no money. */
export const payInSandbox = (purchaseId: string, kind: 'paid' | 'unpaid', idempotencyKey: string) =>
  send(api.issueSandboxReceipt({ purchaseId, kind }, { idempotencyKey }))
export const completePurchase = (
  purchase: { purchaseId: string; paymentReference?: string },
  idempotencyKey: string,
) => send(api.completePurchase(purchase, { idempotencyKey }))
export const cancelPurchase = (purchaseId: string, idempotencyKey: string) =>
  send(api.cancelPurchase({ purchaseId }, { idempotencyKey }))
/** Holds stock and prices for 30 minutes. */
export const startCheckout = (cart: Cart, idempotencyKey: string) =>
  send(api.startCheckout(cart, { idempotencyKey }))
export const readWallets = () => send(api.readWallets({}))
export const readCashEntries = (currency: string, cursor?: string) =>
  send(api.listCashEntries({ currency, limit: 30, cursor }))
export const startTopUp = (topUp: { amount: number; currency: string }, idempotencyKey: string) =>
  send(api.startTopUp(topUp, { idempotencyKey }))
/** Prepares the payment of a top-up and returns its gateway. */
export const prepareTopUp = (topUpId: string) => send(api.prepareTopUpPayment({ topUpId }))
export const completeTopUp = (topUp: { topUpId: string; paymentReference: string }, idempotencyKey: string) =>
  send(api.completeTopUp(topUp, { idempotencyKey }))
/** Holds the price of an order in cash, until it is completed. */
export const holdCash = (orderId: string, idempotencyKey: string) =>
  send(api.prepareOrderPayment({ orderId, method: 'cash' }, { idempotencyKey }))
/** Prepares the payment of an order in money and returns its gateway. A repeat returns the same. */
export const prepareOrder = (orderId: string) => send(api.prepareOrderPayment({ orderId, method: 'gateway' }))
export const completeOrder = (
  order: { orderId: string; paymentReference?: string },
  idempotencyKey: string,
) => send(api.completeCheckout(order, { idempotencyKey }))
export const cancelOrder = (orderId: string, idempotencyKey: string) =>
  send(api.cancelCheckout({ orderId }, { idempotencyKey }))
export const openPack = (pack: { userPackId: string; clientSeed: string }, idempotencyKey: string) =>
  send(api.openPack({ ...pack, lang }, { idempotencyKey }))
export const predict = (
  prediction: { matchId: string; homeScore: number; awayScore: number; joker?: boolean },
  idempotencyKey: string,
) => send(api.writePrediction(prediction, { idempotencyKey }))
export const checkIn = (code: string, idempotencyKey: string) =>
  send(api.checkIn({ code }, { idempotencyKey }))
export const uploadPicture = (file: Blob, idempotencyKey: string) =>
  send(api.uploadPicture({ file }, { idempotencyKey }))
export interface ProfileChange {
  avatarUrl?: string | null
  displayName?: string | null
  handle?: string | null
  bio?: string | null
  favoriteTeamId?: string | null
}
export const saveProfile = (change: ProfileChange, idempotencyKey: string) =>
  send(api.writeProfile(change, { idempotencyKey }))
export const writeConsents = (
  change: Record<string, { granted: boolean; version: string }>,
  idempotencyKey: string,
) => send(api.writeConsents(change, { idempotencyKey }))
export const redeemCode = (code: string, idempotencyKey: string) =>
  send(api.redeemCode({ code }, { idempotencyKey }))
export const acceptTerms = (version: string, idempotencyKey: string) =>
  send(api.acceptTerms({ version }, { idempotencyKey }))
export const changeLimits = (change: Input<'setOwnLimits'>, idempotencyKey: string) =>
  send(api.setOwnLimits(change, { idempotencyKey }))
export const withdrawOrder = (orderId: string, idempotencyKey: string) =>
  send(api.withdrawOrder({ orderId }, { idempotencyKey }))
export const changePrivacy = (change: Partial<Privacy>, idempotencyKey: string) =>
  send(api.changePrivacy(change, { idempotencyKey }))
export const writeLocker = (locker: WrittenLocker, idempotencyKey: string) =>
  send(api.writeLocker({ ...locker, lang }, { idempotencyKey }))
/** A gift asks for nothing in return. */
export const offerTrade = (
  offer: { to: string; give: ItemReference[]; want: ItemReference[] },
  idempotencyKey: string,
) => send(api.offerTrade({ ...offer, lang }, { idempotencyKey }))
/** `version`: the version of the offer that the fan has seen. */
export const acceptTrade = (tradeId: string, version: number, idempotencyKey: string) =>
  send(api.acceptTrade({ tradeId, version, lang }, { idempotencyKey }))
export const declineTrade = (tradeId: string, idempotencyKey: string) =>
  send(api.declineTrade({ tradeId, lang }, { idempotencyKey }))
export const cancelTrade = (tradeId: string, idempotencyKey: string) =>
  send(api.cancelTrade({ tradeId, lang }, { idempotencyKey }))
export const createLeague = (league: NewLeague, idempotencyKey: string) =>
  send(api.createLeague(league, { idempotencyKey }))
export const joinLeague = (code: string, idempotencyKey: string) =>
  send(api.joinLeague({ code }, { idempotencyKey }))
export const changeLeague = (leagueId: string, change: LeagueChange, idempotencyKey: string) =>
  send(api.changeLeague({ leagueId, ...change }, { idempotencyKey }))
export const vote = (questionId: string, choice: Choice, idempotencyKey: string) =>
  send(api.writeVote({ questionId, ...choice, lang }, { idempotencyKey }))
export const leaveLeague = (leagueId: string) => send(api.removeLeagueMember({ leagueId, handle: 'me' }))
export const removeMember = (leagueId: string, handle: string) =>
  send(api.removeLeagueMember({ leagueId, handle }))
export const banMember = (leagueId: string, handle: string, idempotencyKey: string) =>
  send(api.banFromLeague({ leagueId, handle }, { idempotencyKey }))
export const endLeagueBan = (leagueId: string, handle: string) => send(api.endLeagueBan({ leagueId, handle }))
export const report = (
  { note, ...filed }: { subject: Subject; reason: Reason; note: string | null },
  idempotencyKey: string,
) => send(api.fileReport({ ...filed, ...(note && { note }) }, { idempotencyKey }))
/** Follow, mute, block and their opposites. A repeat changes nothing. */
export const relate: Record<Relating, (handle: string, idempotencyKey: string) => Promise<unknown>> = {
  follow: (handle, idempotencyKey) => send(api.followFan({ handle }, { idempotencyKey })),
  unfollow: handle => send(api.unfollowFan({ handle })),
  mute: (handle, idempotencyKey) => send(api.muteFan({ handle }, { idempotencyKey })),
  unmute: handle => send(api.unmuteFan({ handle })),
  block: (handle, idempotencyKey) => send(api.blockFan({ handle }, { idempotencyKey })),
  unblock: handle => send(api.unblockFan({ handle })),
}
export type Relating = 'follow' | 'unfollow' | 'mute' | 'unmute' | 'block' | 'unblock'
export const endSession = (sessionId: string) => send(api.endSession({ sessionId }))

// Data types of the screens.
export type Sponsor = Data<'listSponsors'>['sponsors'][number]
interface Presented {
  /** Who supports it. */
  sponsor: Sponsor | null
}
export type Reward = Data<'listRewards'>['rewards'][number] & Presented
export type Account = Data<'listAccounts'>['accounts'][number]
export type AccountEntry = Awaited<ReturnType<typeof readAccountEntries>>['entries'][number]
export type Bands = Data<'readBands'>
export type Pack = Data<'listPacks'>['packs'][number] & Presented
export type Purchase = Data<'readPurchase'>
export type Product = Data<'listProducts'>['products'][number] & Presented
export type Order = Data<'readOrder'>
export type OrderLine = Order['lines'][number]
export type Cart = Parameters<typeof api.startCheckout>[0]
export type ShippingAddress = NonNullable<Cart['address']>
export type UserPack = Data<'listUserPacks'>['packs'][number]
export type OpenedPack = Data<'openPack'>
export type Card = Data<'readCollection'>['items'][number]
export type Quest = Data<'listQuests'>['quests'][number] & Presented
export type Team = Data<'listTeams'>['teams'][number]
export type Competition = Data<'listCompetitions'>['competitions'][number]
export type Message = Data<'listInbox'>['messages'][number]
export const readInbox = (cursor?: string) => send(inbox.list({ limit: 20, cursor }))
/** All that are not newer than the newest one that is shown. */
export const readUntil = (createdAt: string, idempotencyKey: string) =>
  send(inbox.readUntil(createdAt, { idempotencyKey }))
/** The fan has followed its link. What comes of it shows the next time. */
/** Null: the club sends no pushes to browsers. */
export const readPushKey = async () => (await send(devices.list())).vapidPublicKey

export const subscribeBrowser = (registration: ServiceWorkerRegistration) =>
  send(devices.subscribe(registration))

/** The next fan at this browser must not get the pushes of this one. */
async function unsubscribeBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  if (registration && 'pushManager' in registration) await devices.unsubscribe(registration)
}

export const openMessage = (id: string) => void inbox.opened(id)
export type Match = Data<'listMatches'>['matches'][number] & Presented
export type Question = Data<'listQuestions'>['questions'][number]
/** An option or a player, or a rating. */
export type Choice = { optionId: string } | { rating: number }
export type Prediction = Data<'listPredictions'>['predictions'][number]
export type PredictionRules = Data<'readPredictionRules'>
export type RankedEntry = Data<'readLeaderboard'>['entries'][number]
export type League = Data<'readLeague'>
export type LeagueSummary = Data<'listLeagues'>['leagues'][number]
export type LeagueRound = Data<'readLeagueRounds'>['rounds'][number]
export type LeagueEntry = League['entries'][number]
export type Division = NonNullable<Data<'readDivision'>['division']>
export type NewLeague = Input<'createLeague'>
export type LeagueChange = Omit<Input<'changeLeague'>, 'leagueId'>
export type PointsEntry = Data<'readPoints'>['entries'][number]
export type FeedItem = Data<'readFeed'>['items'][number]
export type FanPage = Data<'readFan'>
export type FanList = 'following' | 'followers' | 'mutes' | 'blocks'
/** Only the list of followed fans has a total. */
export type FansPage = Data<'listFollowers'> & { total?: number }
export type ListedFan = FansPage['fans'][number]
export type Privacy = Data<'readPrivacy'>
export type Limits = Data<'readOwnLimits'>
export type Sanction = Data<'listSanctions'>['sanctions'][number]
export type Reason = Sanction['reason']
/** The subject of a report: a fan or a locker by handle, a trade or a league by id. */
export type Subject = Input<'fileReport'>['subject']
export type CardSet = Data<'listSets'>['sets'][number]
export type Trade = Data<'readTrade'>
export type Provenance = Data<'readProvenance'>
export type Profile = Data<'readProfile'>
