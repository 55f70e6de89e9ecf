/** A page of rewards: sign-in, points that follow the stream, and claims that happen once. */
import type { Data } from '@matchday/client'
import { MatchdayProvider, useRead, useSession, useStream, useWrite } from '@matchday/react'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { matchday, users } from './matchday.ts'

function App() {
  const { status, signIn, signOut } = useSession()
  const [failure, setFailure] = useState<string | null>(null)

  useEffect(() => {
    // The provider has sent the browser back.
    if (!returns.has('code') && !returns.has('error')) return
    finishSignIn ??= users.signinRedirectCallback(location.href)
    history.replaceState(null, '', location.pathname)
    finishSignIn
      .then(({ access_token }) => signIn(access_token, { deviceName: 'Rewards in a browser' }))
      .then(({ error }) => setFailure(error?.detail ?? null))
      .catch((error: Error) => setFailure(error.message))
  }, [signIn])

  const leave = async () => {
    await signOut()
    await users.removeUser()
  }

  return (
    <>
      <header>
        <h1>Rewards</h1>
        {status === 'signed-in' && (
          <button type="button" onClick={leave}>
            Sign out
          </button>
        )}
        {status === 'signed-out' && (
          <button type="button" onClick={() => users.signinRedirect()}>
            Sign in
          </button>
        )}
      </header>
      {failure !== null && <p role="alert">{failure}</p>}
      {status === 'signed-in' && <Fan />}
    </>
  )
}

/** The parameters at page load, since effects run twice in development. */
const returns = new URLSearchParams(location.search)
let finishSignIn: ReturnType<typeof users.signinRedirectCallback> | undefined

function Fan() {
  const isLive = useStream(['me'])
  const { data, error, refresh } = useRead('readDashboard')
  return (
    <main>
      {error && <Failed detail={error.detail} onRetry={refresh} />}
      {data && (
        <p>
          <output className="points">{data.points}</output> points
          {data.rank !== null && `, rank ${data.rank}`}
        </p>
      )}
      <p className="quiet">{isLive ? 'Live' : 'Connecting…'}</p>
      <Rewards />
    </main>
  )
}

function Rewards() {
  const { data, error, isReading, refresh } = useRead('listRewards', { lang: 'en' })
  if (!data && isReading) return <p aria-busy="true">Loading…</p>
  return (
    <>
      {error && <Failed detail={error.detail} onRetry={refresh} />}
      {data?.rewards.length === 0 && <p>There are no rewards yet.</p>}
      <ul>
        {data?.rewards.map(reward => (
          <Reward key={reward.id} reward={reward} />
        ))}
      </ul>
    </>
  )
}

function Reward({ reward }: { reward: Data<'listRewards'>['rewards'][number] }) {
  const { write, isBusy, error } = useWrite('claimReward')
  return (
    <li>
      <div className="what">
        <strong>{reward.title}</strong>
        <p>{reward.pointsRequired} points</p>
        {error && (
          <p role="alert">
            {error.code === 'insufficient_points' ? `${error.missingPoints} points to go` : error.detail}
          </p>
        )}
      </div>
      {reward.state === 'unclaimed' ? (
        <button
          type="button"
          disabled={isBusy || !reward.claimable}
          onClick={() => write({ rewardId: reward.id, lang: 'en' })}
        >
          Claim
        </button>
      ) : (
        <span>{reward.state === 'claimed' ? 'Claimed' : 'Redeemed'}</span>
      )}
    </li>
  )
}

function Failed({ detail, onRetry }: { detail: string; onRetry: () => void }) {
  return (
    <p role="alert">
      {detail}{' '}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </p>
  )
}

const root = document.getElementById('app')
if (root)
  createRoot(root).render(
    <StrictMode>
      <MatchdayProvider matchday={matchday}>
        <App />
      </MatchdayProvider>
    </StrictMode>,
  )
