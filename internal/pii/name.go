package pii

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NameKind says what kind of personal data a member's name suggests, or "". The
// names of the objects around it may come before: NameKind("customer", "name").
// Sure is false where the name alone could mean something harmless, as in
// event_name.
func NameKind(names ...string) (kind Kind, sure bool) {
	if len(names) == 0 || len(names[len(names)-1]) > maxName {
		return "", false
	}
	words := Words(folded(names[len(names)-1]))
	if len(words) == 0 {
		return "", false
	}
	last := strings.TrimRight(words[len(words)-1], "0123456789") // email2, fullName2
	if last != "" && !strings.HasPrefix(last, "address") {
		words[len(words)-1] = last
	} else if last == "" && len(words) > 1 {
		words = words[:len(words)-1] // e_mail_1
	}
	last = words[len(words)-1]
	for i := range words { // the end of the name decides: home_phone, billing_street_address
		end := strings.Join(words[i:], "")
		if k, ok := plainNames[end]; ok {
			return k, end != "address" || i == 0 || postal[words[i-1]]
		}
		if vagueNames[end] {
			return Person, false
		}
	}
	if harmless[last] {
		if last == "id" && slices.Contains(words, "email") {
			return Email, false
		}
		return "", false
	}
	if slices.ContainsFunc(words, func(w string) bool { return plainNames[w] == Email }) {
		return Email, true
	}
	if last != "name" {
		return "", false
	}
	around := words[:len(words)-1]
	if len(around) == 0 && len(names) > 1 && len(names[len(names)-2]) <= maxName {
		around = Words(names[len(names)-2])
	}
	for _, w := range around {
		if k, ok := holders[strings.TrimSuffix(w, "s")]; ok {
			return k, true
		}
	}
	return Person, false
}

const maxName = 200 // bytes: longer ones are data and not names

// What is about a person without saying who: customer_id, email_verified.
var harmless = set("id ids uuid guid key ref hash digest count number verified confirmed type kind status state version valid enabled optin consent code format template lang language locale url")

// Names that mean personal data however they are spelt.
var plainNames = func() map[string]Kind {
	all := map[string]Kind{}
	for kind, names := range map[Kind]string{
		Email:   "email mail emailaddress mailaddress emails mailadresse correo correoelectronico courriel mailto",
		Phone:   "phone telephone mobile mobilephone cell cellphone cellular phonenumber telephonenumber mobilenumber tel fax faxnumber whatsapp msisdn telefon telefono handy handynummer telefonnummer phoneno mobileno telno telefone telefoonnummer telefoon telefonnr celular movil cellulare portable mobil rufnummer телефон 电话 手机 電話",
		Person:  "firstname lastname middlename fullname surname familyname givenname forename maidenname vorname nachname apellido apellidos nombre prenom nom nomdefamille nomcomplet cardholder cardholdername accountholder nombrecompleto nombrecliente nomecompleto naam voornaam achternaam cognome sobrenome imie nazwisko kundenname kundename имя фамилия фио 姓名 客户姓名 氏名 名前",
		Company: "company companyname organization organisation organizationname organisationname employer firma unternehmen empresa azienda bedrijf bedrijfsnaam entreprise societe firmenname компания 公司 会社 businessname legalname tradingname",
		Address: "address street streetaddress addressline addressline1 addressline2 address1 address2 postcode postalcode zip zipcode plz strasse anschrift adresse direccion housenumber hausnummer postaladdress addr indirizzo endereco adres straat rue calle via codigopostal codepostal adressezeile адрес 地址 住所",
		Card:    "cardnumber creditcard creditcardnumber pan ccnumber cardno",
		IBAN:    "iban bankaccount bankaccountnumber sortcode",
		Birth:   "birthdate dateofbirth birthday dob geburtsdatum geburtstag",
	} {
		for _, n := range strings.Fields(names) {
			all[n] = kind
		}
	}
	return all
}()

// Names that may hold a person's name, or something else.
var vagueNames = set("username login displayname nickname recipient attendee salutation")

// What makes an address one that a letter finds, unlike an address of a machine.
var postal = set("home billing shipping postal delivery street customer client mailing work business office invoice residential")

// Whose name it is: customer_name, {"company": {"name": ...}}.
var holders = func() map[string]Kind {
	all := map[string]Kind{}
	for _, w := range strings.Fields("customer client person contact owner author committer user employee patient guest attendee invitee buyer seller payer payee member student tenant applicant sender receiver recipient visitor resident kunde assignee reviewer signer") {
		all[w] = Person
	}
	for _, w := range strings.Fields("company organization organisation org business vendor supplier merchant employer firm") {
		all[w] = Company
	}
	return all
}()

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// folded is a name without accents and with wide letters made plain, as people
// type it who leave them out.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
}

// Words splits a member's name at capitals, underscores, hyphens and spaces,
// in lower case: customerEMail2 is customer, e, mail2. The pair e, mail is
// email.
func Words(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])),
			unicode.IsUpper(r) && i > 0 && i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]):
			end()
		}
		word = append(word, r)
	}
	end()
	for i := 0; i+1 < len(words); i++ {
		if words[i] == "e" && strings.HasPrefix(words[i+1], "mail") {
			words = slices.Replace(words, i, i+2, "e"+words[i+1])
		}
	}
	return words
}
