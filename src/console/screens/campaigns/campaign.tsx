/** One campaign: its preview before the start, and its report. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount, nameOfLanguage } from '../../parts/format.ts'
import { Columns, Facts, Figure, Figures, Page, Section } from '../../parts/page.tsx'
import { type Resource, useResource } from '../../parts/resource.ts'
import { Loaded, Note } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { addressOf } from '../../router.tsx'
import { may } from '../../session.ts'
import { DueTime, StateBadge } from './words.tsx'

type Report = Data<'readCampaign'>
type Preview = Data<'previewCampaign'>

export function CampaignScreen({ campaignId }: { campaignId: string }) {
  const report = useResource(
    `campaign ${campaignId}`,
    signal => api.readCampaign({ campaignId }, { signal }),
    {
      pollMs: 5_000,
    },
  )
  const preview = useResource(`campaign preview ${campaignId}`, signal =>
    api.previewCampaign({ campaignId }, { signal }),
  )
  const { data } = report
  return (
    <Page
      title={data?.title ?? campaignId}
      head={
        <>
          <bdi>{data?.title ?? campaignId}</bdi> {data && <StateBadge of={data} />}
        </>
      }
      back={{ to: addressOf('campaigns'), title: 'Message campaigns' }}
      actions={data && <Actions of={data} report={report} preview={preview.data ?? null} />}
    >
      <Loaded of={report}>{of => <Shown of={of} preview={preview} />}</Loaded>
    </Page>
  )
}

interface ActionsProps {
  of: Report
  report: Resource<Report>
  preview: Preview | null
}

function Actions({ of: { id, state, active }, report, preview }: ActionsProps) {
  const [asked, setAsked] = useState<'start' | 'stop' | null>(null)
  const blocked = !may('campaigns.write') && 'Your role cannot start and stop message campaigns.'
  const isRunning = state === 'scheduled' || state === 'running'
  return (
    <>
      <ButtonLink to={addressOf('catalogue', 'notification', 'entry', id)} icon="edit">
        Texts and time
      </ButtonLink>
      {isRunning && (
        <Button kind="danger" icon="pause" blocked={blocked} onClick={() => setAsked('stop')}>
          Stop
        </Button>
      )}
      {(state === 'draft' || state === 'stopped') && (
        <Button
          kind="primary"
          icon="send"
          blocked={blocked || (!active && 'It is switched off.') || (!preview && 'The preview is loading.')}
          onClick={() => setAsked('start')}
        >
          {state === 'draft' ? 'Start' : 'Continue'}
        </Button>
      )}
      {asked === 'start' && preview && (
        <ReasonDialog
          title="Start the campaign"
          action="Start"
          onConfirm={async reason => {
            await api.startCampaign({ campaignId: id, version: preview.version, reason })
            toast('The campaign was started.')
            report.reload()
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            {state === 'draft'
              ? `${formatCount(preview.fans)} fans are in its segment now. Each fan who is in it when it begins gets it once.`
              : 'Fans who wait get it as it is now, nobody twice.'}
          </p>
        </ReasonDialog>
      )}
      {asked === 'stop' && (
        <ReasonDialog
          title="Stop the campaign"
          action="Stop"
          tone="danger"
          onConfirm={async reason => {
            await api.stopCampaign({ campaignId: id, reason })
            toast('The campaign is stopped.')
            report.reload()
          }}
          onClose={() => setAsked(null)}
        >
          <p>Fans who have it keep it. Those who wait get it when it is continued.</p>
        </ReasonDialog>
      )}
    </>
  )
}

function Shown({ of, preview }: { of: Report; preview: Resource<Preview> }) {
  const { fans, devices } = of
  return (
    <>
      {!of.active && <Note tone="warn">It is off, or has no time and no preview: it cannot be started.</Note>}
      {fans !== null && (
        <Figures>
          <Figure name="Fans" value={formatCount(fans)} note="in the segment when it began" />
          <Figure name="Got it" value={formatCount(of.sent)} note={`${formatCount(of.queued)} wait`} />
          <Figure name="Read" value={formatCount(of.read)} />
          <Figure name="Opened" value={formatCount(of.clicked)} note="its link" />
          <Figure name="Do not want it" value={formatCount(of.skipped)} />
        </Figures>
      )}
      <Columns aside>
        {(of.active || preview.error === null) && (
          <Section title="What fans read" about="Now, by language.">
            <Loaded of={preview}>{shown => <Samples of={shown} />}</Loaded>
          </Section>
        )}
        <div class="stack">
          <Section title="Campaign">
            <Facts
              of={[
                ['Time', <DueTime key="at" of={of} />],
                ['Segment', of.segment ?? <None key="segment" why="All fans" />],
                ['Category', of.category],
                ['Begins', of.beginsAt ? <Time key="begins" at={of.beginsAt} /> : <None key="begins" />],
                ['Stopped', of.stoppedAt ? <Time key="stopped" at={of.stoppedAt} /> : <None key="stopped" />],
                ['Finished', of.finishedAt ? <Time key="end" at={of.finishedAt} /> : <None key="end" />],
                ['Erased or merged before', formatCount(of.left)],
              ]}
            />
          </Section>
          {of.push && (
            <Section title="Devices">
              <Facts
                of={[
                  ['Sent', formatCount(devices.sent)],
                  ['Wait', formatCount(devices.queued)],
                  ['Held back by the stop', formatCount(devices.held)],
                  ['Gone', formatCount(devices.gone)],
                  ['Refused', formatCount(devices.failed)],
                  ['Not sent', formatCount(devices.skipped)],
                ]}
              />
            </Section>
          )}
        </div>
      </Columns>
    </>
  )
}

const Samples = ({ of: { fans, samples } }: { of: Preview }) => (
  <div class="stack">
    <p class="headline" role="status">
      <strong>
        {formatCount(fans)} {fans === 1 ? 'fan' : 'fans'}
      </strong>{' '}
      {fans === 1 ? 'is' : 'are'} in the segment now.
    </p>
    {samples.map(({ language, fans: some, title, body, url }) => (
      <section key={language} class="stack" lang={language === 'any' ? undefined : language} dir="auto">
        <p class="quiet">
          {language === 'any' ? 'In every language' : nameOfLanguage(language)}, {formatCount(some)}{' '}
          {some === 1 ? 'fan' : 'fans'}
        </p>
        <p>
          <strong dir="auto">{title}</strong>
        </p>
        <p dir="auto">{body}</p>
        {url !== null && <p class="quiet">{url}</p>}
      </section>
    ))}
  </div>
)
