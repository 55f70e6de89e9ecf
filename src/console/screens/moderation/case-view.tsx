/** One case: the reports with their evidence, how often the reporters were right, and the record of the fan. */
import { useState } from 'preact/hooks'
import { api, type Data, hasCode } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { Section } from '../../parts/page.tsx'
import { Face } from '../../parts/picture.tsx'
import { type Resource, useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Note } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'
import { Evidence } from './evidence.tsx'
import { History } from './history.tsx'
import { KINDS, type Kind, nameOf, SUBJECTS, titleOf } from './words.ts'

type Case = Data<'readCase'>

export const DECISIONS = ['dismiss', 'hide', 'mute', 'suspend', 'note'] as const
/** The key of each. */
export const KEYS: Record<(typeof DECISIONS)[number], string> = {
  dismiss: 'D',
  hide: 'H',
  mute: 'M',
  suspend: 'S',
  note: 'N',
}

export const useCase = (caseId: string | null): Resource<Case> =>
  useResource(caseId === null ? null : `case ${caseId}`, signal =>
    api.readCase({ caseId: caseId ?? '' }, { signal }),
  )

interface CaseViewProps {
  of: Resource<Case>
  onDecide: (kind: Exclude<Kind, 'lift'>) => unknown
}

export function CaseView({ of, onDecide }: CaseViewProps) {
  if (hasCode(of.error, 'case_not_open'))
    return (
      <Empty icon="check" title="This case was decided in the meantime">
        <p>{of.error.problem.detail}</p>
      </Empty>
    )
  return (
    <Loaded of={of}>
      {shown => (
        <div class="case">
          <header class="case-head">
            <div>
              <h2 class="case-fan">
                <Face large blurred fanId={shown.record.fan.id} name={nameOf(shown.record.fan)} />
                <bdi>{nameOf(shown.record.fan)}</bdi>
              </h2>
              <p class="quiet">
                {SUBJECTS[shown.subjectKind]}
                {' · '}
                {shown.openReports} open {shown.openReports === 1 ? 'report' : 'reports'}
                {may('fans.read') && (
                  <>
                    {' · '}
                    <Link to={addressOf('fans', shown.record.fan.id)}>Page of the fan</Link>
                  </>
                )}
              </p>
            </div>
            <div class="actions decisions">
              {DECISIONS.map(kind => (
                <Button
                  key={kind}
                  kind={kind === 'dismiss' ? 'primary' : kind === 'suspend' ? 'danger' : 'plain'}
                  blocked={!may('moderation.write') && 'Your role can read cases, but not decide them.'}
                  onClick={() => onDecide(kind)}
                >
                  {KINDS[kind].action}{' '}
                  <span class="key-hint" aria-hidden="true">
                    {KEYS[kind]}
                  </span>
                </Button>
              ))}
            </div>
          </header>
          <Section title="Reports">
            <ol class="reports">
              {shown.reports.map(report => (
                <ReportItem key={report.id} of={report} fanId={shown.record.fan.id} />
              ))}
            </ol>
            {shown.openReports > shown.reports.length && (
              <p class="quiet">The first {shown.reports.length} are shown.</p>
            )}
          </Section>
          <Section title="History of the fan">
            <History of={shown.record} onChange={of.reload} />
          </Section>
        </div>
      )}
    </Loaded>
  )
}

interface ReportItemProps {
  of: Case['reports'][number]
  fanId: string
}

function ReportItem({ of: { id, reason, note, evidence, reporter, createdAt }, fanId }: ReportItemProps) {
  const [isAsking, setAsking] = useState(false)
  const [revealed, setRevealed] = useState<Data<'revealReporter'>['reporter']>(null)
  return (
    <li>
      <div class="report-head">
        <Badge tone="warn">{titleOf(reason)}</Badge>
        <Time at={createdAt} relative />
        <span class="quiet">
          {reporter === null
            ? 'by the text filter'
            : `by a fan: ${reporter.filed} filed, ${reporter.upheld} upheld, ${reporter.dismissed} dismissed`}
        </span>
        {reporter !== null &&
          may('moderation.write') &&
          (revealed ? (
            <Link to={addressOf('fans', revealed.id)}>
              <bdi>{nameOf(revealed)}</bdi>
            </Link>
          ) : (
            <Button small kind="quiet" onClick={() => setAsking(true)}>
              Who reported?
            </Button>
          ))}
      </div>
      {note && (
        <blockquote>
          <bdi class="written">{note}</bdi>
        </blockquote>
      )}
      {evidence === null ? (
        <Note>The evidence was erased with the fan.</Note>
      ) : (
        <Evidence of={evidence} fanId={fanId} />
      )}
      {isAsking && (
        <ReasonDialog
          title="See who reported"
          action="Show the reporter"
          onConfirm={async reason => {
            const { reporter } = await api.revealReporter({ reportId: id, reason })
            setRevealed(reporter)
          }}
          onClose={() => setAsking(false)}
        >
          Nobody else is told. Look only if the decision depends on it.
        </ReasonDialog>
      )}
    </li>
  )
}
