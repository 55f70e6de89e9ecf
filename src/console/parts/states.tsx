/** The states of a screen without data: empty, loading, failed, offline, not allowed. */
import type { ComponentChildren } from 'preact'
import { ProblemError, UnreachableError } from '../api.ts'
import { Button, Copy } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import type { Resource } from './resource.ts'

/** A sentence for an empty list, with a next step. */
export const Empty = (props: { icon?: IconName; title: string; children?: ComponentChildren }) => (
  <div class="state">
    {props.icon && <Icon name={props.icon} />}
    <strong>{props.title}</strong>
    {props.children && <div class="quiet">{props.children}</div>}
  </div>
)

/** A placeholder for data that is loading. `lines`: the approximate number of lines. */
export const Skeleton = ({
  lines = 6,
  kind = 'lines',
}: {
  lines?: number
  kind?: 'lines' | 'tiles' | 'chart'
}) => (
  <div aria-busy="true">
    <span class="unseen">Loading</span>
    <div class={`skeleton ${kind}`} aria-hidden="true">
      {Array.from({ length: kind === 'chart' ? 1 : lines }, (_, nth) => (
        <div key={nth} class="bone" />
      ))}
    </div>
  </div>
)

/** The words of a failure for staff. */
export function describe(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail || error.problem.title
  return error instanceof UnreachableError ? error.message : 'This page has an error. Reload it.'
}

/** A failure with a retry. It names a missing network; the request's id helps to find the failure in the log. */
export function Failed({
  error,
  onRetry,
  busy,
}: {
  error: unknown
  onRetry?: () => unknown
  busy?: boolean
}) {
  const problem = error instanceof ProblemError ? error.problem : null
  const isRefused = problem?.code === 'permission_denied'
  return (
    <div class="failed" role="alert">
      <Icon name={isRefused ? 'lock' : error instanceof UnreachableError ? 'offline' : 'alert'} />
      <div>
        <p>{describe(error)}</p>
        {problem?.requestId && problem.status >= 500 && (
          <p class="quiet">
            Request <Copy value={problem.requestId} label="Copy the request's id" />
          </p>
        )}
      </div>
      {onRetry && !isRefused && (
        <Button small icon="retry" busy={busy ?? false} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface LoadedProps<T> {
  of: Resource<T>
  /** Shown until there is data. */
  skeleton?: ComponentChildren
  children: (data: T) => ComponentChildren
}

/** Data of a resource, or the state in which it is. Old data stays while a newer read fails, under the failure. */
export function Loaded<T>({ of, skeleton, children }: LoadedProps<T>) {
  return (
    <>
      {of.error !== null && <Failed error={of.error} onRetry={of.reload} busy={of.isLoading} />}
      {of.data !== null ? children(of.data) : of.error === null && (skeleton ?? <Skeleton />)}
    </>
  )
}

/** A note in a screen, to read before an action. */
export const Note = ({
  tone = 'info',
  children,
}: {
  tone?: 'info' | 'warn' | 'bad' | 'good'
  children: ComponentChildren
}) => (
  <div class={`note ${tone}`}>
    <Icon name={tone === 'info' ? 'info' : tone === 'good' ? 'check' : 'alert'} />
    <div>{children}</div>
  </div>
)
