//! Words of the made-up venue, in the scripts that visitors write.

pub(super) const ZONES: [&str; 6] = [
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Santiago",
    "Pacific/Auckland",
];

pub(super) const EVENTS: [&str; 24] = [
    "Harbour Lights",
    "Die Nacht der Uhren",
    "Noche de faroles",
    "L’automate de Lyon",
    "Η αίθουσα των χαρτών",
    "Зал минералов",
    "海の回廊",
    "鉄道博物館ツアー",
    "박물관의 밤",
    "قاعة النجوم",
    "אולם הגלים",
    "तारामंडल",
    "พิพิธภัณฑ์ยามค่ำ",
    "Музей якорів",
    "水族館早鳥場",
    "Kvöldganga",
    "Świat motyli",
    "Đêm bảo tàng",
    "Čajovna v oranžerii",
    "Saatlerin Gecesi",
    "Ħarsa lejn il-baħar",
    "ამინდის სადგური",
    "Աստղադիտարան",
    "Sirkus Bintang 🎪",
];

pub(super) const SENTENCES: [&str; 8] = [
    "Walk through the halls with someone who knows every \"hidden\" door.",
    "Für Kinder ab sechs Jahren; Kinderwagen bleiben an der Garderobe.",
    "Bring a coat, the deck is cold, and <em>do</em> stay for the bell.",
    "展示は二階から始まります。",
    "Экскурсия идёт полтора часа; вход — с набережной.",
    "الدخول من البوابة الشرقية قبل الموعد بعشر دقائق.",
    "Το εργαστήριο περιλαμβάνει υλικά & καφέ.",
    "Entrée libre pour les accompagnateurs; 50 % pour les étudiants.",
];

pub(super) const COLORS: [&str; 5] = ["blue", "green", "amber", "red", "violet"];

pub(super) const ADD_ONS: [&str; 5] =
    ["A gift to the workshop", "Audio guide", "Kakao & Kuchen", "図録", "Парковка"];

pub(super) const WHOLE_WEEK: &[&str] =
    &["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

pub(super) const WEEKDAYS: [&[&str]; 6] = [
    WHOLE_WEEK,
    &["Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    &["Saturday", "Sunday"],
    &["Monday", "Wednesday", "Friday"],
    &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    &["Friday"],
];
