/** Problems of messages. */
import { defineProblems } from '../../core/problems.ts'

export const messageProblems = defineProblems({
  message_not_found: {
    status: 404,
    title: 'There is no such message',
    description: 'The inbox has no message of this id: it was deleted, or is older than 90 days.',
  },
  campaign_not_found: {
    status: 404,
    title: 'There is no such campaign',
    description: 'The catalogue has no such notification with `at`, and none was started.',
  },
  campaign_inactive: {
    status: 409,
    title: 'The campaign is switched off',
    description: 'The notification or its segment has `active: false`.',
  },
  campaign_changed: {
    status: 409,
    title: 'The campaign has changed since the preview',
    description: 'Look at the preview again: its texts or its segment are others now.',
  },
  campaign_started: {
    status: 409,
    title: 'The campaign was started already',
    description: 'It waits for its time, or is being sent.',
  },
  campaign_finished: {
    status: 409,
    title: 'The campaign is finished',
    description: 'Each fan gets a campaign once. To send a message again, create another notification.',
  },
  campaign_not_running: {
    status: 409,
    title: 'The campaign is not running',
    description: 'It was not started, is stopped, or is finished.',
  },
})
