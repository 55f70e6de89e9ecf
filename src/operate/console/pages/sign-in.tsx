/** Sign-in by a link. Its secret stands after `#`, which no server, proxy or preview of a chat program receives. */
import { signal } from '@preact/signals'
import { read, write } from './api.ts'
import { Button } from './parts/button.tsx'
import { useAction } from './parts/resource.ts'
import { Failed } from './parts/states.tsx'
import { navigate } from './router.tsx'
import { hasEnded, type Session, session, takeReturnAddress } from './session.ts'

interface OpenedLink {
  secret: string
  /** Whom it signs in; null: it cannot be used, for the reason in `refusal`. */
  owner: { name: string; role: string } | null
  refusal: unknown
}

export const link = signal<OpenedLink | null>(null)

/** Reads the link in the address, and takes its secret out of the address bar and the history. */
export async function openLink(): Promise<void> {
  if (location.pathname !== '/sign-in') return
  const secret = location.hash.slice(1)
  navigate('/', { replace: true })
  if (secret === '') return
  try {
    link.value = { secret, owner: await write('POST', '/api/session/link', { secret }), refusal: null }
  } catch (refusal) {
    link.value = { secret, owner: null, refusal }
  }
}

/** The link is used by a click alone: a preview that opens the page and runs its scripts leaves it as it is. */
export function SignInWithLink({ of: { secret, owner, refusal } }: { of: OpenedLink }) {
  const signIn = useAction(async () => {
    session.value = await write<Session>('POST', '/api/session/sign-in', { secret })
    hasEnded.value = false
    link.value = null
    navigate(takeReturnAddress() ?? '/', { replace: true })
  })
  const close = async () => {
    link.value = null
    session.value ??= await read<Session>('/api/session').catch(() => null)
  }
  return (
    <main class="alone">
      <div class="alone-box">
        <span class="brand-mark" aria-hidden="true" />
        <h1>Sign in to the console</h1>
        {owner ? (
          <>
            <p>
              This link is for <bdi class="strong">{owner.name}</bdi>, {owner.role}. It works once.
            </p>
            {signIn.error !== null && <Failed error={signIn.error} onRetry={close} />}
            <Button kind="primary" busy={signIn.isBusy} onClick={() => signIn.run()}>
              Sign in
            </Button>
          </>
        ) : (
          <Failed error={refusal} onRetry={close} />
        )}
      </div>
    </main>
  )
}
