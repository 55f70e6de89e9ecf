import { describe } from '../describe.ts'
import { text } from '../lang/lang.ts'
import { Icon } from './icon.tsx'

interface NoticeProps {
  error: unknown
  onRetry?: (() => unknown) | undefined
}

/** An error in words for fans, with a next step. */
export const Notice = ({ error, onRetry }: NoticeProps) => (
  <div class="notice" role="alert">
    <Icon name="alert" />
    <span class="grow">{describe(error)}</span>
    {onRetry && (
      <button type="button" class="button small" onClick={onRetry}>
        {text.states.retry}
      </button>
    )}
  </div>
)
