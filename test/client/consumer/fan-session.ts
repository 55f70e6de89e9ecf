/** An app's use of `@matchday/client`, without a cast: compiled and run as an app has it, installed from the tarball. */
import {
  type CallOptions,
  type ClientOptions,
  createClient,
  type FollowOptions,
  type Session,
  type SessionStore,
  type Sessions,
  type StreamEvent,
  unwrap,
  verifyDraw,
  verifyProvenance,
} from '@matchday/client'

type Unset<T> = {
  [Name in keyof T as Record<never, never> extends Pick<T, Name> ? Name : never]-?: undefined
}
/** `true` if each optional member may be undefined: an app passes on settings that it may not have. */
type TakesUnset<T> = Unset<T> extends Partial<T> ? true : never

export const takesUnset: [
  TakesUnset<ClientOptions>,
  TakesUnset<CallOptions>,
  TakesUnset<FollowOptions>,
  TakesUnset<SessionStore>,
  TakesUnset<NonNullable<Parameters<Sessions['signIn']>[1]>>,
  TakesUnset<NonNullable<Parameters<Sessions['signOut']>[0]>>,
] = [true, true, true, true, true, true]

/** From sign-in to sign-out, at an API with the pack `starter` and the rewards `scarf` (100 points) and `shirt` (5,000). */
export async function runFanSession(origin: string, accessToken: string): Promise<string[]> {
  const log: string[] = []
  let kept: Session | null = null
  const { api, session, follow } = createClient({
    origin,
    store: {
      read: () => kept,
      write: next => {
        kept = next
      },
    },
    onSessionEnd: () => log.push('session ended'),
    ...{ token: undefined, headers: undefined, fetch: undefined, retries: undefined, timeoutMs: undefined },
  })

  const signedIn = await session.signIn(accessToken, { deviceName: 'A test' })
  if (signedIn.error) return [signedIn.error.code]
  log.push(signedIn.data.tokenType)

  const profile = await unwrap(api.writeProfile({ displayName: 'Ada', bio: undefined, handle: null }))
  log.push(`profile ${profile.displayName ?? 'without a name'}`)
  const onboarding = await unwrap(api.completeOnboarding({ joinLeaderboard: true }))
  log.push(`onboarding ${onboarding.state} ${onboarding.reward?.points ?? 0}`)

  const events: StreamEvent[] = []
  let balance = 0
  let onOpened = () => {}
  const opened = new Promise<void>(resolve => {
    onOpened = resolve
  })
  let onReset = () => {}
  const reset = new Promise<void>(resolve => {
    onReset = resolve
  })
  const end = follow(
    ['me', 'leaderboard'],
    event => {
      events.push(event)
      if (event.type === 'reset') onReset()
      if (event.type === 'points.changed') balance = event.data.data.balance
      if (event.type === 'pack.opened') onOpened()
    },
    { onEnd: problem => log.push(problem.code) },
  )
  await reset

  const { rewards } = await unwrap(api.listRewards())
  log.push(rewards.map(({ id, claimable }) => `${id} ${claimable}`).join(', '))
  const tooExpensive = await api.claimReward({ rewardId: 'shirt' })
  if (tooExpensive.error) {
    switch (tooExpensive.error.code) {
      case 'insufficient_points':
        log.push(`missing ${tooExpensive.error.missingPoints}`)
        break
      case 'network_error':
      case 'unexpected_response':
        log.push(tooExpensive.error.title)
        break
      default:
        log.push(tooExpensive.error.detail)
    }
  }
  const claimed = await api.claimReward({ rewardId: 'scarf' })
  if (claimed.error === null) log.push(`scarf ${claimed.data.reward.state}`)
  const redeemed = await unwrap(api.redeemReward({ rewardId: 'scarf' }))
  log.push(`code ${(redeemed.reward.redemptionCode ?? '').length > 0}`)

  const purchase = await unwrap(api.startPurchase({ packId: 'starter' }, { idempotencyKey: 'one-pack' }))
  const { userPack } = await unwrap(api.completePurchase({ purchaseId: purchase.id }))
  if (userPack === null) return log
  const { items, proof } = await unwrap(api.openPack({ userPackId: userPack.id, clientSeed: 'my luck' }))
  const verdict = await verifyDraw(proof, purchase)
  log.push(`${items.length} items, ${verdict.holds ? 'proof holds' : verdict.flaw}`)
  const [card] = items
  if (card === undefined) return log
  const history = await unwrap(
    api.readProvenance({ collectibleId: card.id, serialNumber: card.serialNumber }),
  )
  const chain = await verifyProvenance(history, proof)
  log.push(chain.holds ? 'history holds' : chain.flaw)

  await opened
  end()
  log.push(`balance ${balance}`)
  log.push(`events ${events.map(({ type }) => type).includes('reward.claimed')}`)
  const { ended } = await session.signOut({ everywhere: true })
  const out = await ended
  log.push(out?.error === null ? 'signed out' : 'not signed out')
  const refused = await api.readDashboard()
  log.push(refused.error?.code ?? 'still signed in')
  return log
}
