/** Campaigns of messages: previewed, started, stopped and counted. Their texts are entries of the catalogue. */
import { startCampaign, stopCampaign } from '../../admin/campaigns/campaigns.ts'
import { previewCampaign } from '../../admin/campaigns/preview.ts'
import { listCampaignSummaries, reportCampaign } from '../../admin/campaigns/report.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

export const campaignRoutes = (deps: StaffDeps) => {
  const { db } = deps
  const ofCampaign = {
    subject: ({ params: { campaignId } }: { params: { campaignId: string } }) => ({
      kind: 'notification',
      id: campaignId,
    }),
    permission: 'campaigns.write',
    params: schema.CampaignParams,
    answer: schema.CampaignReport,
    respond: (_: unknown, { params: { campaignId } }: { params: { campaignId: string } }) =>
      reportCampaign(db.read, campaignId),
  } as const
  const changes = [
    action({
      ...ofCampaign,
      path: '/:campaignId/start',
      id: 'startCampaign',
      summary: 'Start a campaign, or continue it after a stop',
      description: 'It is sent at its time, or at once if that is over. No fan gets it twice.',
      body: schema.StartCampaign,
      verb: (tx, { body: { version }, params: { campaignId } }) => startCampaign(tx, campaignId, version),
      detail: (_, { body: { version } }) => ({ version }),
      problems: thrownBy.startCampaign,
      example: { version: 'x3P0r7', reason: 'Tickets for the derby.' },
    }),
    action({
      ...ofCampaign,
      path: '/:campaignId/stop',
      id: 'stopCampaign',
      summary: 'Stop a campaign',
      description: 'After the batch that is being sent. Pushes that wait are held back.',
      onePerson: 'It sends nothing.',
      body: schema.StopCampaign,
      verb: (tx, { params: { campaignId } }) => stopCampaign(tx, campaignId),
      problems: thrownBy.stopCampaign,
      example: { reason: 'A mistake in the text.' },
    }),
  ]
  const group = staff(deps, { prefix: '/api/campaigns', tag: 'Campaigns' })
    .get(
      '',
      async () => ({ campaigns: await listCampaignSummaries(db.read) }),
      consoleOperation({
        id: 'listCampaigns',
        summary: 'List campaigns of messages',
        permission: 'campaigns.read',
        responses: { 200: schema.Campaigns },
      }),
    )
    .get(
      '/:campaignId',
      ({ params }) => reportCampaign(db.read, params.campaignId),
      consoleOperation({
        id: 'readCampaign',
        summary: 'Read how far a campaign is',
        permission: 'campaigns.read',
        params: schema.CampaignParams,
        responses: { 200: schema.CampaignReport },
        problems: thrownBy.readCampaign,
      }),
    )
    .get(
      '/:campaignId/preview',
      ({ params }) => previewCampaign(db.read, params.campaignId),
      consoleOperation({
        id: 'previewCampaign',
        summary: 'Count the fans of a campaign, and show it in each language',
        permission: 'campaigns.read',
        params: schema.CampaignParams,
        responses: { 200: schema.CampaignPreview },
        problems: thrownBy.previewCampaign,
      }),
    )
  return withActions(group, changes)
}
