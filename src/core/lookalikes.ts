/**
 * Letters and digits that look like an ASCII character, from the confusables of Unicode 13 (UTS #39, Unicode
 * License), with Latin small capitals. Letters whose decomposition has the same look are left out. Letters
 * that are written from right to left are escaped.
 */
const TABLE: [letter: string, lookalikes: string][] = [
  ['2', 'ƧƻϨᒿꙄꛯꝚ'],
  ['3', 'ƷȜЗҘӠⳌꝪꞫ𑣊𖼻'],
  ['4', 'Ꮞᔯᔰ𑢯'],
  ['5', 'Ƽ𑢻'],
  ['6', 'бᏮⳒ𑣕'],
  ['7', '𐓒𑣆'],
  ['8', 'Ȣȣ৪੪𐌚\u{1e8cb}'],
  ['9', '৭੧୨൭ⳊꝮ𑢬𑣌𑣖'],
  ['a', 'ɑΑαАаᎪᗅᴀꓮ𐊠𖽀'],
  ['b', 'ƀƁƂƃƄɓʙΒБВЬѢѣҌҍᏏᏴᑲᑳᑾᑿᒀᒁᒈᖯᗷꓐꞴ𐊂𐊡𐌁'],
  ['c', 'ƇȼϲϹСсҪҫᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜𑣩𑣲'],
  ['d', 'ÐĐđƉƊƌɖɗԁᎠᏧᑯᑺᑻᒇᗞᗪᴅꓒꓓ'],
  ['e', 'ɆɇΕЕеҽҿᎬᴇⴹꓰꬲ𐊆𑢦𑢮'],
  ['f', 'ſƑƒϜքᖴᵮẝꓝꜰꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂'],
  ['g', 'ƍƓǤǥɠɡɢԌցᏀᏳᶃꓖ'],
  ['h', 'ĦħɦʜΗНћҢһӇӉհᎻᏂᏲᕼⱧⲎꓧꚕ𐋏'],
  ['i', 'ıɨɩɪͺιіӏᎥᵻᵼꙇꭵ𑣃'],
  ['j', 'ɈɉͿϳЈјᎫᒍᒘᒙᴊꓙꞲ'],
  ['k', 'ƘƙΚКҚҞᏦᛕᴋⱩⲔꓗꝀ𐔘'],
  ['l', 'ŁłƖƗƚǀɫɭʟΙІӀᏞᒪᒶᒷᛁⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦𑢣𑢲𖼖𖼨\u05d5\u05df\u05f1\u0627\u0661\u0673\u06f1\u07ca\u{1e8c7}'],
  ['m', 'ΜϺМӍᎷᗰᛖᴍⲘꓟ𐊰𐌑'],
  ['n', 'ƝƞɳɴΝηոռᵰⲚꓠ𐔓'],
  [
    'o',
    'ØøƟɵΘΟθοσОоѲѳӨөՕօ०০੦૦ଠ୦௦౦೦ഠ൦๐໐တဝ၀ჿዐᎤᎾᏫᴏᴑⲞⲟⴱⵁⵔ〇ꓳꝊꝋꬽꬾꭴꮎꮻ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u06ff\u07c0',
  ],
  ['p', 'ƤƥΡρРрᏢᑭᑶᑷᒆᴘᵽⲢⲣꓑ𐊕'],
  ['q', 'ʠԛգզⵕ'],
  ['r', 'ƦɍɼɽʀгґғᎡᏒᖇᴦᵲⲅꓣꭇꭈꮁ𐒴𖼵'],
  ['s', 'ƽʂЅѕՏᏕᏚᵴꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺'],
  ['t', 'ŦŧƬƭƮȾΤТҬᎢᴛᵵⲦꓔ𐊗𐊱𐌕𑢼𖼊'],
  ['u', 'ɄʋυՍսሀᏌᑌᑗᑘᑧᴜᵾꓴꞟꭎꭒꮜ𐓎𐓶𑢸𑣘𖽂'],
  ['v', 'νѴѵᏙᐯᐺᐻᴠⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈\u05d8\u0667\u06f7'],
  ['w', 'ɯѡѽԜԝաᎳᏔᴡꓪꝡꮃ𑓅𑜊𑜎𑜏𑣦𑣯'],
  ['x', 'ΧХхҲᕁᕽᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬'],
  ['y', 'ƳƴɎɏɣʏΥγУуҮүҰұყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃'],
  ['z', 'ƵƶȤȥʐΖᏃᴢᵶꓜꮓ𐋵𑢩𑣄𑣥'],
]

const LETTERS = new Map(
  TABLE.flatMap(([letter, lookalikes]) => [...lookalikes].map(one => [one, letter] as const)),
)
/** The first of 26 letters in circles and squares, which no normalization resolves. */
const RUNS = [0x1f150, 0x1f170, 0x1f1e6]

/** The letter or digit of ASCII that the character looks like, also as a capital: a Cyrillic `т` as `Т` does. Otherwise the character. */
export const lookOf = (character: string): string =>
  LETTERS.get(character) ?? LETTERS.get(character.toUpperCase()) ?? letterOfRun(character) ?? character

function letterOfRun(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0
  const first = RUNS.find(start => code >= start && code < start + 26)
  return first === undefined ? undefined : String.fromCharCode(97 + code - first)
}
