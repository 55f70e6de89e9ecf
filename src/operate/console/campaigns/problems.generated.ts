/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { messageProblems } from '../../../fan/messages/problems.ts'

export const thrownBy = {
  startCampaign: [
    messageProblems.campaign_not_found,
    messageProblems.campaign_inactive,
    messageProblems.campaign_changed,
    messageProblems.campaign_finished,
    messageProblems.campaign_started,
  ],
  stopCampaign: [messageProblems.campaign_not_found, messageProblems.campaign_not_running],
  readCampaign: [messageProblems.campaign_not_found],
  previewCampaign: [messageProblems.campaign_not_found],
} as const
