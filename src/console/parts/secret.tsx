/** A secret that the server shows only once. */
import { useRef, useState } from 'preact/hooks'
import { Button, Copy } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Note } from './states.tsx'

interface SecretDialogProps {
  title: string
  /** Names it: "the secret of the endpoint". */
  what: string
  value: string
  onClose: () => unknown
}

/** Only its button closes it, so that a wrong key does not lose the secret. */
export const SecretDialog = ({ title, what, value, onClose }: SecretDialogProps) => (
  <Dialog title={title} busy onClose={onClose}>
    <div class="dialog-text">
      <Note tone="warn">Copy {what} now: it cannot be shown again.</Note>
      <p class="secret">
        <Copy value={value} label={`Copy ${what}`} />
      </p>
    </div>
    <div class="form-foot">
      <Button kind="primary" autofocus onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
)

/** For a dialog that shows a secret after success: it closes at once only if there is no secret. */
export function useSecret(onClose: () => unknown) {
  const [secret, setSecret] = useState<string | null>(null)
  const shown = useRef(false)
  return {
    secret,
    show(value: string) {
      shown.current = true
      setSecret(value)
    },
    close() {
      if (!shown.current) onClose()
    },
  }
}
