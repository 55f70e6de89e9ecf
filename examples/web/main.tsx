/** A small fan app: home, quests, matches, rewards and packs, on the typed client. */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Home } from './home.tsx'
import { Matches } from './matches.tsx'
import { Packs } from './packs.tsx'
import { Quests } from './quests.tsx'
import { Rewards } from './rewards.tsx'
import { type DemoConfig, finishSignIn, isSignedIn, signOut, startSignIn } from './sign-in.ts'

const PAGES = { Home, Quests, Matches, Rewards, Packs }
type PageName = keyof typeof PAGES

function App({ config }: { config: DemoConfig }) {
  const [signedIn, setSignedIn] = useState(isSignedIn())
  const [error, setError] = useState<string | null>(null)
  const [page, setPage] = useState<PageName>('Home')

  useEffect(() => {
    finishSignIn(config).then(
      () => setSignedIn(isSignedIn()),
      problem => setError(problem.message),
    )
  }, [config])

  if (!signedIn) {
    return (
      <main class="welcome">
        <h1>Matchday demo</h1>
        <p>Sign in as one of the fans of the mock identity provider.</p>
        {error && <p role="alert">{error}</p>}
        <button type="button" onClick={() => startSignIn(config).catch(problem => setError(problem.message))}>
          Sign in
        </button>
      </main>
    )
  }
  const Page = PAGES[page]
  return (
    <>
      <header>
        <strong>Matchday</strong>
        <nav aria-label="Pages">
          {(Object.keys(PAGES) as PageName[]).map(name => (
            <button
              type="button"
              key={name}
              aria-current={name === page ? 'page' : undefined}
              onClick={() => setPage(name)}
            >
              {name}
            </button>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => signOut().finally(() => setSignedIn(false))}>
          Sign out
        </button>
      </header>
      <main>
        <Page key={page} />
      </main>
    </>
  )
}

const root = document.getElementById('app')
if (root) {
  const config = (await (await fetch('/demo/config.json')).json()) as DemoConfig
  render(<App config={config} />, root)
}
