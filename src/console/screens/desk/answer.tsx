/** The result of a code, in words that can be read from two metres away. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, type Data, UnreachableError } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Facts } from '../../parts/page.tsx'
import { describe } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'

type DeskCode = Data<'lookUpCode'>

export type Answer =
  | { kind: 'found'; code: DeskCode }
  | { kind: 'used'; code: Data<'useCode'> }
  | { kind: 'failed'; error: unknown; attempt: 'look' | 'use' }

type Tone = 'good' | 'bad' | 'warn' | 'info'

interface Words {
  tone: Tone
  icon: IconName
  title: string
  about: string
}

function wordsOf(answer: Answer): Words {
  if (answer.kind === 'failed') return wordsOfFailure(answer.error, answer.attempt)
  const { code } = answer
  if (answer.kind === 'used')
    return {
      tone: 'good',
      icon: 'check',
      title: 'Hand it out',
      about: answer.code.repeated
        ? 'Your first request had already used the code. It was used only once.'
        : 'Used just now.',
    }
  return code.state === 'valid'
    ? { tone: 'info', icon: 'info', title: 'Valid', about: 'Not used yet.' }
    : { tone: 'bad', icon: 'alert', title: 'Already used', about: 'Do not hand it out again.' }
}

function wordsOfFailure(error: unknown, attempt: 'look' | 'use'): Words {
  if (!(error instanceof UnreachableError))
    return { tone: 'bad', icon: 'alert', title: 'Not valid', about: describe(error) }
  return {
    tone: 'warn',
    icon: 'offline',
    title: 'No answer',
    about:
      attempt === 'use'
        ? 'The code may have been used. Do not hand anything out yet. Try again: a code is used at most once.'
        : 'The console cannot be reached. Nothing was used.',
  }
}

interface AnswerProps {
  answer: Answer
  /** The use of the code was undone. */
  onUndone: (code: string) => unknown
}

export function AnswerPanel({ answer, onUndone }: AnswerProps) {
  const { tone, icon, title, about } = wordsOf(answer)
  return (
    <div class={`desk-answer ${tone}`}>
      <div class="desk-verdict" role="alert">
        <Icon name={icon} />
        <div>
          <strong>{title}</strong>
          <p>
            <bdi>{about}</bdi>
          </p>
        </div>
      </div>
      {answer.kind !== 'failed' && <CodeFacts code={answer.code} onUndone={onUndone} />}
    </div>
  )
}

function CodeFacts({ code, onUndone }: { code: DeskCode } & Pick<AnswerProps, 'onUndone'>) {
  const { kind, title, description, fan, use, orderId, redeemedAt } = code
  const name = fan.handle === null ? 'Without a handle' : `@${fan.handle}`
  return (
    <div class="desk-facts">
      <div class="desk-what">
        <span class="quiet">{kind === 'voucher' ? 'Voucher' : 'Reward'}</span>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {description !== '' && (
          <p class="quiet">
            <bdi>{description}</bdi>
          </p>
        )}
      </div>
      <Facts
        of={[
          [
            'Fan',
            may('fans.read') ? (
              <Link to={addressOf('fans', fan.id)}>
                <bdi>{name}</bdi>
              </Link>
            ) : (
              <bdi>{name}</bdi>
            ),
          ],
          ...(use === null
            ? []
            : ([
                [
                  'Used',
                  <span key="use">
                    <Time at={use.at} relative /> by {use.byYou ? 'you' : <bdi>{sourceOf(use.by)}</bdi>}
                  </span>,
                ],
              ] satisfies [string, ComponentChildren][])),
          ['Redeemed', <Time key="redeemed" at={redeemedAt} />],
          ...(orderId !== null && may('orders.read')
            ? ([
                [
                  'Order',
                  <Link key="order" to={addressOf('orders', orderId)}>
                    Open the order
                  </Link>,
                ],
              ] satisfies [string, ComponentChildren][])
            : []),
        ]}
      />
      {use !== null && !isOfOrder(use.by) && may('fans.write') && (
        <UndoUse code={code} onDone={() => onUndone(code.code)} />
      )}
    </div>
  )
}

function UndoUse({ code, onDone }: { code: DeskCode; onDone: () => unknown }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <p class="quiet">
      Used by mistake?{' '}
      <Button small icon="undo" onClick={() => setAsking(true)}>
        Undo the use
      </Button>
      {isAsking && (
        <ReasonDialog
          title="Undo the use"
          action="Undo the use"
          onConfirm={async reason => {
            await api.undoUseOfFan({ fanId: code.fan.id, code: code.code, reason })
            toast('The code can be used again.')
            onDone()
          }}
          onClose={() => setAsking(false)}
        >
          The code of “<bdi>{code.title}</bdi>” can be used again. Take back what was handed out.
        </ReasonDialog>
      )}
    </p>
  )
}

/** Whether an order has used the voucher; only the order can undo that. */
const isOfOrder = (by: string) => by.startsWith('order:')

/** The name of a source; the two special sources are in words. */
function sourceOf(by: string): string {
  if (by === 'operator') return 'an operator'
  return isOfOrder(by) ? 'an order that it paid' : by
}
