/** Screens without data of their own: signed out, not found, not allowed. */
import { Button, ButtonLink } from './parts/button.tsx'
import { Page } from './parts/page.tsx'
import { Empty, Failed, Skeleton } from './parts/states.tsx'
import { hasEnded } from './session.ts'
import { SignInWithProvider } from './sign-in.tsx'

export const NotFound = () => (
  <Page title="Not found">
    <Empty icon="search" title="There is nothing at this address">
      <p>It was removed, or the link is wrong.</p>
      <ButtonLink to="/">Go to the overview</ButtonLink>
    </Empty>
  </Page>
)

export const NotAllowed = ({ role }: { role: string }) => (
  <Page title="Not allowed">
    <Empty icon="lock" title="Your role does not open this page">
      <p>You are signed in as {role}. An owner can give you another role.</p>
      <ButtonLink to="/">Go to the overview</ButtonLink>
    </Empty>
  </Page>
)

/** What to do to sign in. The address is kept: see `markSessionEnded`. */
export const SignedOut = ({ onRetry }: { onRetry: () => unknown }) => (
  <main class="alone">
    <div class="alone-box">
      <span class="brand-mark" aria-hidden="true" />
      <h1>{hasEnded.value ? 'Your session has ended' : 'Sign in to the console'}</h1>
      <p>
        {hasEnded.value
          ? 'Sign in again: you come back to the page that you were on.'
          : 'The console of the club’s staff. You sign in by a link that opens once.'}
      </p>
      <SignInWithProvider />
      <ol>
        <li>
          Ask an operator for a link, or make one where Matchday runs:
          <code class="command">bun run console-link --name "Your name" --role support</code>
        </li>
        <li>Open the link in this browser within ten minutes.</li>
      </ol>
      <Button icon="retry" onClick={onRetry}>
        I have opened the link
      </Button>
    </div>
  </main>
)

/** Before it is known who is signed in. */
export const Starting = ({ error, onRetry }: { error: unknown; onRetry: () => unknown }) => (
  <main class="alone">
    <div class="alone-box">
      <span class="brand-mark" aria-hidden="true" />
      <h1 class={error === null ? 'unseen' : undefined}>Matchday console</h1>
      {error === null ? <Skeleton lines={3} /> : <Failed error={error} onRetry={onRetry} />}
    </div>
  </main>
)
