/** The frame around the screens: the current screen, the navigation, and the network state. */
import type { ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { emptyCart } from './cart.ts'
import { text } from './lang/lang.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { NotFound } from './parts/layout.tsx'
import { Notice } from './parts/notice.tsx'
import { CardLink, CodesLink } from './parts/passes.tsx'
import { Standing } from './parts/standing.tsx'
import { findCards, listKept } from './passes.ts'
import { forgetAsked } from './pushes.ts'
import { addressOf, Link, restoreScroll, useRoute } from './router.tsx'
import { Account } from './screens/account.tsx'
import { Card } from './screens/card.tsx'
import { Cart } from './screens/cart.tsx'
import { CheckIn } from './screens/check-in.tsx'
import { Codes } from './screens/codes.tsx'
import { Collection } from './screens/collection.tsx'
import { Consents } from './screens/consents.tsx'
import { DeleteAccount } from './screens/delete-account.tsx'
import { Division } from './screens/division.tsx'
import { Fan } from './screens/fan.tsx'
import { FanLocker } from './screens/fan-locker.tsx'
import { Fans, isFanList } from './screens/fans.tsx'
import { Feed } from './screens/feed.tsx'
import { Home } from './screens/home.tsx'
import { Inbox } from './screens/inbox.tsx'
import { Invite } from './screens/invite.tsx'
import { JoinLeague } from './screens/join-league.tsx'
import { Leaderboard } from './screens/leaderboard.tsx'
import { League } from './screens/league.tsx'
import { Leagues } from './screens/leagues.tsx'
import { Limits } from './screens/limits.tsx'
import { Locker } from './screens/locker.tsx'
import { LockerEdit } from './screens/locker-edit.tsx'
import { MatchScreen } from './screens/match.tsx'
import { Matches } from './screens/matches.tsx'
import { Membership } from './screens/membership.tsx'
import { Offer } from './screens/offer.tsx'
import { Order } from './screens/order.tsx'
import { Orders } from './screens/orders.tsx'
import { OwnPack } from './screens/own-pack.tsx'
import { Pack } from './screens/pack.tsx'
import { Packs } from './screens/packs.tsx'
import { Points } from './screens/points.tsx'
import { Privacy } from './screens/privacy.tsx'
import { Product } from './screens/product.tsx'
import { Profile } from './screens/profile.tsx'
import { Proof } from './screens/proof.tsx'
import { Purchase } from './screens/purchase.tsx'
import { Quests } from './screens/quests.tsx'
import { Reward } from './screens/reward.tsx'
import { Rewards } from './screens/rewards.tsx'
import { Sanctions } from './screens/sanctions.tsx'
import { Sessions } from './screens/sessions.tsx'
import { Sets } from './screens/sets.tsx'
import { Shop } from './screens/shop.tsx'
import { Trade } from './screens/trade.tsx'
import { Trades } from './screens/trades.tsx'
import { Wallet } from './screens/wallet.tsx'
import { Welcome } from './screens/welcome.tsx'
import { hasEnded, isSignedIn, watchSession } from './session.ts'
import { resetColours } from './theme.ts'

function screenOf([name, id, own, ...rest]: string[]): ComponentChild {
  switch (name) {
    case undefined:
      return <Home />
    case 'matches':
      return id === undefined ? <Matches /> : <MatchScreen key={id} id={id} />
    case 'check-in':
      return <CheckIn />
    case 'rewards':
      return id === undefined ? <Rewards /> : <Reward key={id} id={id} />
    case 'packs':
      if (id === 'own' && own !== undefined)
        return rest[0] === 'proof' ? <Proof key={own} id={own} /> : <OwnPack key={own} id={own} />
      if (id === 'purchases' && own !== undefined) return <Purchase key={own} id={own} />
      return id === undefined ? <Packs /> : <Pack key={id} id={id} />
    case 'shop':
      return id === undefined ? <Shop /> : <Product key={id} id={id} />
    case 'cart':
      return <Cart />
    case 'orders':
      return id === undefined ? <Orders /> : <Order key={id} id={id} />
    case 'collection':
      return <Collection />
    case 'cards':
      return id === undefined || own === undefined ? (
        <NotFound />
      ) : (
        <Card key={`${id} ${own}`} id={id} serialNumber={Number(own)} />
      )
    case 'locker':
      return id === 'edit' ? <LockerEdit /> : <Locker />
    case 'sets':
      return <Sets />
    case 'trades':
      return id === undefined ? <Trades /> : <Trade key={id} id={id} />
    case 'quests':
      return <Quests />
    case 'leaderboard':
      return <Leaderboard />
    case 'leagues':
      return id === undefined ? <Leagues /> : <League key={id} id={id} />
    case 'league':
      return id === undefined ? <NotFound /> : <JoinLeague key={id} code={id} />
    case 'division':
      return <Division />
    case 'fans':
      if (id === undefined) return <NotFound />
      if (own === 'locker') return <FanLocker key={id} handle={id} />
      if (own === 'trade') return <Offer key={`${id} ${rest}`} handle={id} asked={copyOf(rest)} />
      return <Fan key={id} handle={id} />
    case 'inbox':
      return <Inbox />
    case 'feed':
      return <Feed />
    case 'points':
      return <Points />
    case 'profile':
      if (id === 'privacy') return <Privacy />
      if (id === 'consents') return <Consents />
      if (id === 'limits') return <Limits />
      if (id === 'invite') return <Invite />
      if (id === 'delete') return <DeleteAccount />
      if (isFanList(id)) return <Fans key={id} list={id} />
      return id === undefined ? <Profile /> : <NotFound />
    // Messages of every club lead here.
    case 'account':
      if (id === 'sanctions') return <Sanctions />
      return id === 'tiers' || id === 'memberships' ? <Membership /> : <NotFound />
    case 'wallet':
      return <Wallet />
    case 'membership':
      return id === undefined ? <Membership /> : <Account key={id} id={id} />
    case 'codes':
      return <Codes />
    case 'sessions':
      return <Sessions />
    default:
      return <NotFound />
  }
}

/** The copy of a card that an address names. */
const copyOf = ([collectibleId, serialNumber]: string[]) =>
  collectibleId === undefined ? null : { collectibleId, serialNumber: Number(serialNumber) }

const TABS = ['home', 'matches', 'rewards', 'packs'] as const
/** The tab of screens that have none. */
const TAB_OF: Record<string, string> = {
  account: 'membership',
  'check-in': 'matches',
  sessions: 'profile',
  wallet: 'profile',
  fans: 'leaderboard',
  league: 'leagues',
  division: 'leagues',
  cards: 'collection',
  locker: 'collection',
  trades: 'collection',
  sets: 'collection',
  cart: 'shop',
  orders: 'shop',
}
/** In the side bar; on a phone the home screen and the screen of the profile link to them. */
const WIDE = [
  'shop',
  'collection',
  'quests',
  'leaderboard',
  'leagues',
  'inbox',
  'feed',
  'points',
  'membership',
  'codes',
] as const

/** `notice`: the message of a completed sign-in. */
export function App({ notice: first }: { notice: string | null }) {
  const [signedIn, setSignedIn] = useState(isSignedIn)
  const [notice, setNotice] = useState(first)
  useEffect(
    () =>
      watchSession(() => {
        setSignedIn(isSignedIn())
        setNotice(hasEnded() ? text.signIn.ended : null)
        if (isSignedIn()) return
        resetColours()
        emptyCart()
        forgetAsked()
      }),
    [],
  )
  return signedIn ? <Frame notice={first} /> : <Welcome notice={notice} />
}

function Frame({ notice }: { notice: string | null }) {
  const route = useRoute()
  const main = useRef<HTMLElement>(null)
  const path = route.join('/')
  const first = useRef(true)
  const [shown, setShown] = useState(notice)
  // A new screen starts at its top, an earlier one at its last position, and screen readers continue there. A layout effect:
  // an effect after the paint could take the focus from a control that the fan has reached meanwhile.
  useLayoutEffect(() => {
    if (!first.current) {
      main.current?.focus({ preventScroll: true })
      restoreScroll()
      setShown(null)
    }
    first.current = false
  }, [path])
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {text.nav.skip}
      </a>
      <SideBar current={TAB_OF[route[0] ?? 'home'] ?? route[0] ?? 'home'} />
      <div class="page">
        <Offline />
        {path !== 'account/sanctions' && <Standing />}
        {shown !== null && <Notice error={new Error(shown)} />}
        <main id="main" ref={main} tabIndex={-1}>
          {screenOf(route)}
        </main>
      </div>
    </div>
  )
}

const SideBar = ({ current }: { current: string }) => (
  <nav class="bar" aria-label={text.nav.label}>
    <span class="brand">
      <img src="/demo/icon.svg" alt="" width="32" height="32" />
      {text.appName}
    </span>
    {TABS.map(name => (
      <Tab key={name} name={name} current={current} />
    ))}
    {WIDE.map(name => (
      <Tab key={name} name={name} current={current} wide />
    ))}
    <Tab name="profile" current={current} label={text.nav.you} within={WIDE.some(name => name === current)} />
  </nav>
)

interface TabProps {
  name: IconName & keyof typeof text.nav
  current: string
  label?: string
  wide?: boolean
  /** On a phone, whether the current screen belongs to this tab. */
  within?: boolean
}

const Tab = ({ name, current, label = text.nav[name], wide = false, within = false }: TabProps) => (
  <Link
    to={name === 'home' ? addressOf() : addressOf(name)}
    class={`tab ${wide ? 'wide' : ''} ${within ? 'within' : ''}`}
    aria-current={name === current ? 'page' : undefined}
  >
    <Icon name={name} />
    <span>{label}</span>
  </Link>
)

function Offline() {
  const [offline, setOffline] = useState(!navigator.onLine)
  useEffect(() => {
    const update = () => setOffline(!navigator.onLine)
    addEventListener('online', update)
    addEventListener('offline', update)
    return () => {
      removeEventListener('online', update)
      removeEventListener('offline', update)
    }
  }, [])
  return (
    <div role="status">
      {offline && (
        <p class="offline">
          <Icon name="offline" />
          <span class="grow">{text.states.offline}</span>
          {findCards() && <CardLink />}
          {listKept().length > 0 && <CodesLink />}
        </p>
      )}
    </div>
  )
}
