/** Why moderators decide, and why fans report. */
export const REASONS = ['spam', 'harassment', 'hate', 'sexual', 'impersonation', 'cheating', 'other'] as const
export type Reason = (typeof REASONS)[number]
