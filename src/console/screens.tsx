/** Screens without data: signed out, not found, not allowed. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, ButtonLink } from './parts/button.tsx'
import { Page } from './parts/page.tsx'
import { useAction } from './parts/resource.ts'
import { Empty, Failed, Skeleton } from './parts/states.tsx'
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

/** How to sign in. The address is kept: see `markSessionEnded`. */
export const SignedOut = ({ onRetry }: { onRetry: () => unknown }) => (
  <main class="alone">
    <div class="alone-box">
      <span class="brand-mark" aria-hidden="true" />
      <h1>Sign in to the console</h1>
      <p>The console for the club’s staff. You sign in with a link that works once.</p>
      <WaysIn where="in this browser" onRetry={onRetry} />
    </div>
  </main>
)

/** Covers the screen, which keeps what was typed for the same person. */
export function SessionEnded({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Otherwise keys would open dialogs of the screen below.
    const keep = (event: KeyboardEvent) => event.stopImmediatePropagation()
    const onVisible = () => document.visibilityState === 'visible' && onRetry()
    addEventListener('keydown', keep, { capture: true })
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      removeEventListener('keydown', keep, { capture: true })
      document.removeEventListener('visibilitychange', onVisible)
      shown?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="alone ended"
      aria-labelledby="ended"
      onCancel={event => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <div class="alone-box">
        <span class="brand-mark" aria-hidden="true" />
        <h1 id="ended">Your session has ended</h1>
        <p>Sign in again in another tab. This page keeps what you have typed.</p>
        {error !== null && <Failed error={error} />}
        <WaysIn where="in another tab of this browser" onRetry={onRetry} />
      </div>
    </dialog>
  )
}

function WaysIn({ where, onRetry }: { where: string; onRetry: () => unknown }) {
  const [hasTried, setTried] = useState(false)
  const retry = useAction(async () => {
    await onRetry()
    setTried(true)
  })
  return (
    <>
      <SignInWithProvider />
      <ol>
        <li>Ask an owner of the console for a sign-in link. They make it on the page “Staff”.</li>
        <li>Open the link {where}. It works once.</li>
      </ol>
      {hasTried && (
        <p role="status" class="quiet">
          Nobody is signed in yet.
        </p>
      )}
      <Button icon="retry" busy={retry.isBusy} onClick={() => retry.run()}>
        I have opened the link
      </Button>
    </>
  )
}

/** Shown until the session is known. */
export const Starting = ({ error, onRetry }: { error: unknown; onRetry: () => unknown }) => (
  <main class="alone">
    <div class="alone-box">
      <span class="brand-mark" aria-hidden="true" />
      <h1 class={error === null ? 'unseen' : undefined}>Matchday console</h1>
      {error === null ? <Skeleton lines={3} /> : <Failed error={error} onRetry={onRetry} />}
    </div>
  </main>
)
