/**
 * The spine: the readers, subscribers and functions that rooms declare, created once for each opened
 * database.
 */
import type { Spine } from '../../db/index.ts'
import { withRequiredTerms } from '../club/documents/required-terms.ts'
import { createMatchesSpine } from '../club/matches/revise.ts'
import { createSegmentsSpine } from '../club/segments/spine.ts'
import { readStatedSettings } from '../club/settings/settings-kind.ts'
import { sinkSubscriber } from '../delivery/event-sink/subscriber.ts'
import { createPreferencesSpine } from '../delivery/preferences/spine.ts'
import { decideAgain } from '../delivery/push/hold.ts'
import { createPushSpine } from '../delivery/push/spine.ts'
import { createInboxSpine } from '../delivery/stream/spine.ts'
import { webhookSubscriber } from '../delivery/webhooks/record-deliveries.ts'
import { createWebhooksSpine } from '../delivery/webhooks/spine.ts'
import { readAccountTiers } from '../economy/accounts/account-kind.ts'
import { createAccountsSpine } from '../economy/accounts/spine.ts'
import { recordMatchUpdate } from '../economy/events/match-events.ts'
import { recordEntries } from '../economy/events/record-notices.ts'
import { recordTiers } from '../economy/events/record-tiers.ts'
import { createEventsSpine } from '../economy/events/spine.ts'
import { lockLedgers } from '../economy/points/account.ts'
import { createPointsSpine } from '../economy/points/appended-entries.ts'
import { createAccountSpine } from '../fan/account/spine.ts'
import { consentToTerms, readConsenting } from '../fan/consents/consents.ts'
import { findHeld } from '../fan/messages/held.ts'
import { countUnread } from '../fan/messages/inbox.ts'
import { messageObserver } from '../fan/messages/observer.ts'
import { createMessagesSpine } from '../fan/messages/spine.ts'
import { recordAppeal, recordLift, recordSanction } from '../fan/moderation/events.ts'
import { readSamePerson } from '../fan/moderation/people.ts'
import { fileAutomaticReport } from '../fan/moderation/reports.ts'
import { referralReader } from '../fan/referrals/event-reader.ts'
import { forgetSegments } from '../figures/season/sweep.ts'
import { createPublicTextSpine } from '../identity/public-text/spine.ts'
import { createSanctionsSpine } from '../identity/sanctions/spine.ts'
import { endRequestsAbout } from '../identity/staff/approvals/end-requests.ts'
import { isInSegment } from '../operate/admin/segments/segments.ts'
import { listAccountUses, listUses } from '../operate/admin/segments/uses.ts'
import { createSettingsSpine } from '../platform/settings/settings.ts'
import { placeEarners } from '../play/divisions/place.ts'
import { createEligibilitySpine } from '../play/eligibility/spine.ts'
import { changeLeagueBaselines } from '../play/leagues/personal-data.ts'
import { createItemsSpine } from '../play/packs/arrivals.ts'
import { isCollectible } from '../play/packs/give-collectible.ts'
import { findOwned } from '../play/packs/ownership.ts'
import { questReader } from '../play/quests/event-reader.ts'
import { completeSetsOf } from '../play/sets/complete-sets.ts'

export const createSpine = (): Spine => ({
  settings: createSettingsSpine(withRequiredTerms(readStatedSettings)),
  sanctions: createSanctionsSpine({ recordSanction, recordLift, recordAppeal, readSamePerson }),
  publicText: createPublicTextSpine({ flag: fileAutomaticReport, consentToTerms }),
  matches: createMatchesSpine(recordMatchUpdate),
  segments: createSegmentsSpine({ isInSegment, readAccountTiers, listUses }),
  accounts: createAccountsSpine(recordTiers, lockLedgers, listAccountUses),
  points: createPointsSpine(recordEntries, changeLeagueBaselines, placeEarners),
  events: createEventsSpine({
    readers: [questReader, referralReader],
    subscribers: [webhookSubscriber, sinkSubscriber],
    observers: [messageObserver],
  }),
  eligibility: createEligibilitySpine({ findOwned, isCollectible }),
  items: createItemsSpine(completeSetsOf),
  preferences: createPreferencesSpine(readConsenting, decideAgain),
  inbox: createInboxSpine(countUnread),
  messages: createMessagesSpine(),
  webhooks: createWebhooksSpine(),
  push: createPushSpine(findHeld),
  account: createAccountSpine(async (tx, userIds) => {
    await endRequestsAbout(tx, userIds)
    await forgetSegments(tx, userIds)
  }),
})
