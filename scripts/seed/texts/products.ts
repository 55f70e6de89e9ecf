/** Products of the shop, in Portuguese and Arabic. */
export const products: Record<string, [pt: string, ar: string]> = {
  'Home scarf': ['Cachecol principal', 'وشاح الفريق'],
  'Knitted in the colours of the club. Goes with every weather.': [
    'Tricotado nas cores do clube. Fica bem com qualquer tempo.',
    'منسوج بألوان النادي، ويناسب كل طقس.',
  ],
  'The striped shirt of the season, made of recycled yarn.': [
    'A camisola às riscas da época, feita de fio reciclado.',
    'قميص الموسم المخطط، من خيوط معاد تدويرها.',
  ],
  'Crest mug': ['Caneca do emblema', 'كوب الشعار'],
  'For the tea before kick-off. Points only.': [
    'Para o chá antes do apito inicial. Só com pontos.',
    'لشاي ما قبل ضربة البداية. بالنقاط فقط.',
  ],
  'Minute 94, framed': ['Minuto 94, emoldurado', 'الدقيقة 94 في إطار'],
  'A numbered print of the goal, for fans who own the moment.': [
    'Uma gravura numerada do golo, para os adeptos que têm o momento.',
    'صورة مرقّمة للهدف، للمشجعين الذين يملكون هذه اللحظة.',
  ],
  'Three enamel pins': ['Três pins esmaltados', 'ثلاثة دبابيس مطلية بالمينا'],
  'Ball, star and anchor, on a card. Two sets for each fan.': [
    'Bola, estrela e âncora, num cartão. Dois conjuntos por adepto.',
    'كرة ونجمة ومرساة على بطاقة. مجموعتان لكل مشجع.',
  ],
  'Stadium tour for two': ['Visita ao estádio para dois', 'جولة في الملعب لشخصين'],
  'Dressing rooms, tunnel and pitch, any Saturday. Show the code at the desk.': [
    'Balneários, túnel e relvado, em qualquer sábado. Mostra o código na receção.',
    'غرف الملابس والنفق وأرضية الملعب، في أي سبت. أظهر الرمز عند الاستقبال.',
  ],
  'Three moments in a sealed pack, in your collection at once.': [
    'Três momentos numa saqueta fechada, logo na tua coleção.',
    'ثلاث لحظات في حزمة مغلقة، تصل إلى مجموعتك فورًا.',
  ],
  'Derby night wallpaper': ['Papel de parede da noite de dérbi', 'خلفية ليلة الديربي'],
  'The floodlit ground for your phone, as a file to keep.': [
    'O estádio iluminado para o teu telemóvel, num ficheiro que fica contigo.',
    'الملعب تحت الأضواء لهاتفك، في ملف تحتفظ به.',
  ],
  'Signed shirt': ['Camisola autografada', 'قميص موقّع'],
  'Signed by the whole squad after the cup final.': [
    'Assinada por todo o plantel depois da final da taça.',
    'بتوقيع الفريق كاملًا بعد نهائي الكأس.',
  ],
  'Centenary shirt': ['Camisola do centenário', 'قميص المئوية'],
  'On sale from the club’s hundredth birthday.': [
    'À venda a partir do centésimo aniversário do clube.',
    'يُطرح للبيع في الذكرى المئوية للنادي.',
  ],
  'One size': ['Tamanho único', 'مقاس واحد'],
  Standard: ['Padrão', 'قياسي'],
}
