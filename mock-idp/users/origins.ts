import {
  ar,
  cs_CZ,
  da,
  de,
  el,
  en,
  en_GH,
  en_IN,
  en_NG,
  es,
  es_MX,
  fa,
  fr,
  fr_SN,
  he,
  hr,
  hu,
  it,
  ja,
  ka_GE,
  ko,
  type LocaleDefinition,
  nb_NO,
  nl,
  pl,
  pt_BR,
  pt_PT,
  sv,
  th,
  tr,
  uk,
  vi,
  yo_NG,
  zh_CN,
} from '@faker-js/faker'

/** Where a fan comes from: determines names, language and time zone. */
export interface Origin {
  /** BCP 47 tag, the OIDC `locale` claim. */
  tag: string
  names: LocaleDefinition
  /** IANA time zones, the OIDC `zoneinfo` claim. */
  zones: readonly string[]
  /** Set when the family name comes first: the separator between the parts of the name. */
  familyFirst?: ' ' | ''
}

/**
 * Every origin, drawn with equal probability. They cover several scripts, both writing directions and both name
 * orders, so that development meets the names of real users. Append only: the order determines the fans of a seed.
 */
export const origins: readonly Origin[] = [
  { tag: 'en-GB', names: en, zones: ['Europe/London'] },
  { tag: 'en-US', names: en, zones: ['America/New_York', 'America/Chicago', 'America/Los_Angeles'] },
  { tag: 'es-ES', names: es, zones: ['Europe/Madrid'] },
  { tag: 'es-MX', names: es_MX, zones: ['America/Mexico_City', 'America/Monterrey'] },
  { tag: 'pt-BR', names: pt_BR, zones: ['America/Sao_Paulo', 'America/Recife'] },
  { tag: 'pt-PT', names: pt_PT, zones: ['Europe/Lisbon'] },
  { tag: 'fr-FR', names: fr, zones: ['Europe/Paris'] },
  { tag: 'fr-SN', names: fr_SN, zones: ['Africa/Dakar'] },
  { tag: 'de-DE', names: de, zones: ['Europe/Berlin'] },
  { tag: 'it-IT', names: it, zones: ['Europe/Rome'] },
  { tag: 'nl-NL', names: nl, zones: ['Europe/Amsterdam'] },
  { tag: 'pl-PL', names: pl, zones: ['Europe/Warsaw'] },
  { tag: 'cs-CZ', names: cs_CZ, zones: ['Europe/Prague'] },
  { tag: 'hr-HR', names: hr, zones: ['Europe/Zagreb'] },
  { tag: 'sv-SE', names: sv, zones: ['Europe/Stockholm'] },
  { tag: 'da-DK', names: da, zones: ['Europe/Copenhagen'] },
  { tag: 'nb-NO', names: nb_NO, zones: ['Europe/Oslo'] },
  { tag: 'hu-HU', names: hu, zones: ['Europe/Budapest'], familyFirst: ' ' },
  { tag: 'tr-TR', names: tr, zones: ['Europe/Istanbul'] },
  { tag: 'el-GR', names: el, zones: ['Europe/Athens'] },
  { tag: 'uk-UA', names: uk, zones: ['Europe/Kyiv'] },
  { tag: 'ka-GE', names: ka_GE, zones: ['Asia/Tbilisi'] },
  { tag: 'he-IL', names: he, zones: ['Asia/Jerusalem'] },
  { tag: 'ar-EG', names: ar, zones: ['Africa/Cairo'] },
  { tag: 'ar-MA', names: ar, zones: ['Africa/Casablanca'] },
  { tag: 'fa-IR', names: fa, zones: ['Asia/Tehran'] },
  { tag: 'en-GH', names: en_GH, zones: ['Africa/Accra'] },
  { tag: 'en-NG', names: en_NG, zones: ['Africa/Lagos'] },
  { tag: 'yo-NG', names: yo_NG, zones: ['Africa/Lagos'] },
  { tag: 'en-IN', names: en_IN, zones: ['Asia/Kolkata'] },
  { tag: 'ja-JP', names: ja, zones: ['Asia/Tokyo'], familyFirst: ' ' },
  { tag: 'ko-KR', names: ko, zones: ['Asia/Seoul'], familyFirst: '' },
  { tag: 'zh-CN', names: zh_CN, zones: ['Asia/Shanghai'], familyFirst: '' },
  { tag: 'vi-VN', names: vi, zones: ['Asia/Ho_Chi_Minh'], familyFirst: ' ' },
  { tag: 'th-TH', names: th, zones: ['Asia/Bangkok'] },
]
