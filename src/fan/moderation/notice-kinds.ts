/** What notices of illegal content are about. */
export const NOTICE_CATEGORIES = [
  ...(['child_abuse', 'hate', 'threats', 'defamation'] as const),
  ...(['privacy', 'intellectual_property', 'fraud', 'other'] as const),
] as const
export type NoticeCategory = (typeof NOTICE_CATEGORIES)[number]

/** Content that people without an account can see. */
export const NOTICE_SUBJECTS = ['fan', 'locker'] as const
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number]
