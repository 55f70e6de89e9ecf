/** The home screen: points, rank and the newest entries of the ledger, as they change. */
import { useEffect } from 'preact/hooks'
import { api, need } from './api.ts'
import { follow } from './live.ts'
import { Loading, useLoaded } from './load.tsx'

export function Home() {
  const home = useLoaded(async () => {
    const [dashboard, onboarding] = await Promise.all([
      need(api.dashboard.get()),
      need(api.user.onboarding.get()),
    ])
    return { ...dashboard, onboarded: onboarding.state === 'completed' }
  })
  useEffect(() => follow(home.reload), [home.reload])
  return (
    <Loading of={home}>
      {({ profile, points, rank, recentPoints, onboarded }) => (
        <>
          <h1>{profile.displayName ?? 'Welcome'}</h1>
          <dl class="figures">
            <div>
              <dt>Points</dt>
              <dd data-testid="points">{points}</dd>
            </div>
            <div>
              <dt>Rank</dt>
              <dd>{rank ?? '–'}</dd>
            </div>
          </dl>
          {!onboarded && (
            <button type="button" onClick={() => home.act(() => need(api.user.onboarding.post({})))}>
              Join and get your first points
            </button>
          )}
          <h2>Latest points</h2>
          {recentPoints.length === 0 ? (
            <p>No points yet.</p>
          ) : (
            <ul>
              {recentPoints.map(({ id, delta, reason }) => (
                <li key={id}>
                  <span>{reason.replaceAll('_', ' ')}</span>
                  <strong>{delta > 0 ? `+${delta}` : delta}</strong>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Loading>
  )
}
