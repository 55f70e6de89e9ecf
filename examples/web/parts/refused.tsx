/**
 * Why a write was refused, with a next step. If the club requires it, the fan accepts the terms, and the write is sent
 * again.
 */
import { acceptTerms, ProblemError } from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite, type Write } from '../load.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export function Refused<Input>({ write }: { write: Write<Input> }) {
  const { error } = write
  if (error === null) return null
  if (error instanceof ProblemError && error.problem.code === 'terms_not_accepted')
    return <Terms version={error.problem.required} url={error.problem.url} again={write.again} />
  return <Notice error={error} />
}

interface TermsProps {
  version: string
  url: string | null
  again: () => Promise<void>
}

function Terms({ version, url, again }: TermsProps) {
  const accept = useWrite(async (accepted: string, key) => {
    await acceptTerms(accepted, key)
    await again()
  })
  return (
    <div class="panel terms" role="alert">
      <p>
        <strong class="line">{text.terms.title}</strong>
        <span class="quiet">{text.terms.lead(version)}</span>{' '}
        {url !== null && (
          <a href={url} target="_blank" rel="noreferrer">
            {text.terms.read}
          </a>
        )}
      </p>
      {accept.error !== null && <Notice error={accept.error} />}
      <Button busy={accept.isBusy} onClick={() => accept.run(version)}>
        {text.terms.accept}
      </Button>
    </div>
  )
}
