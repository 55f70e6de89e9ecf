/** Rewards, in Portuguese and Arabic. */
export const rewards: Record<string, [pt: string, ar: string]> = {
  'Match-day wallpaper': ['Papel de parede do dia de jogo', 'خلفية يوم المباراة'],
  'The floodlit stand, for your lock screen.': [
    'A bancada iluminada, para o teu ecrã de bloqueio.',
    'المدرج تحت الأضواء، لشاشة القفل في هاتفك.',
  ],
  'Anthem ringtone': ['Toque do hino', 'نغمة النشيد'],
  'Thirty seconds of the north stand at full voice.': [
    'Trinta segundos da bancada norte a plenos pulmões.',
    'ثلاثون ثانية من المدرج الشمالي بأعلى صوته.',
  ],
  '20 % off the home scarf': ['20 % de desconto no cachecol principal', 'خصم 20٪ على وشاح الفريق'],
  'One scarf of this season, in the stadium shop or online.': [
    'Um cachecol desta época, na loja do estádio ou online.',
    'وشاح واحد من هذا الموسم، من متجر الملعب أو عبر الإنترنت.',
  ],
  'Half-time tea': ['Chá ao intervalo', 'شاي الاستراحة'],
  'A hot drink at any kiosk in the ground.': [
    'Uma bebida quente em qualquer bar do estádio.',
    'مشروب ساخن من أي كشك في الملعب.',
  ],
  'Match poster': ['Cartaz do jogo', 'ملصق المباراة'],
  'The hand-printed poster of the next home match.': [
    'O cartaz, impresso à mão, do próximo jogo em casa.',
    'ملصق مطبوع يدويًا للمباراة القادمة على أرضنا.',
  ],
  'Family day entry': ['Entrada para o dia da família', 'دخول يوم العائلة'],
  'Entry for two to the open training and the museum.': [
    'Entrada para dois no treino aberto e no museu.',
    'دخول لشخصين إلى التدريب المفتوح والمتحف.',
  ],
  'A seat on the away coach': ['Um lugar no autocarro para o jogo fora', 'مقعد في حافلة المباراة الخارجية'],
  'There and back with the supporters’ club.': [
    'Ida e volta com o clube de adeptos.',
    'ذهابًا وإيابًا مع رابطة المشجعين.',
  ],
  'Training top': ['Camisola de treino', 'قميص التدريب'],
  'What the squad wears from Monday to Friday.': [
    'O que o plantel veste de segunda a sexta.',
    'ما يرتديه الفريق من الاثنين إلى الجمعة.',
  ],
  'Derby ticket': ['Bilhete para o dérbi', 'تذكرة الديربي'],
  'One seat in the family stand for the derby.': [
    'Um lugar na bancada família para o dérbi.',
    'مقعد واحد في مدرج العائلات لمباراة الديربي.',
  ],
  'Stadium tour': ['Visita ao estádio', 'جولة في الملعب'],
  'Dressing rooms, tunnel, and a minute alone in the centre circle.': [
    'Balneários, túnel e um minuto a sós no círculo central.',
    'غرف الملابس والنفق، ودقيقة وحدك في دائرة المنتصف.',
  ],
  'Home shirt': ['Camisola principal', 'القميص الأساسي'],
  'This season’s shirt with your name on it.': [
    'A camisola desta época com o teu nome.',
    'قميص هذا الموسم وعليه اسمك.',
  ],
  'Pitch-side photo': ['Fotografia no relvado', 'صورة بجانب الملعب'],
  'With the captain, before the warm-up.': [
    'Com o capitão, antes do aquecimento.',
    'مع القائد، قبل الإحماء.',
  ],
  'Signed ball': ['Bola autografada', 'كرة موقّعة'],
  'Signed by the whole squad. There is one.': [
    'Assinada por todo o plantel. Só há uma.',
    'موقّعة من الفريق كله. لا توجد سوى واحدة.',
  ],
  'Mascot for a day': ['Mascote por um dia', 'تميمة ليوم واحد'],
  'Walk out with the team at the last home match of the season.': [
    'Entra em campo com a equipa no último jogo em casa da época.',
    'ادخل الملعب مع الفريق في آخر مباراة على أرضنا هذا الموسم.',
  ],
  'Founders’ badge': ['Emblema dos fundadores', 'شارة المؤسسين'],
  'Given in the first season only.': ['Dado apenas na primeira época.', 'مُنحت في الموسم الأول فقط.'],
  'Winter cup early bird': ['Taça de inverno antecipada', 'الحجز المبكر لكأس الشتاء'],
  'Was open for the first week of sales.': [
    'Esteve aberto na primeira semana de vendas.',
    'كان متاحًا في الأسبوع الأول من البيع.',
  ],
  'Centenary coin': ['Moeda do centenário', 'عملة المئوية'],
  'Opens with the club’s hundredth birthday.': [
    'Abre no centésimo aniversário do clube.',
    'تُتاح مع عيد ميلاد النادي المئة.',
  ],
}
